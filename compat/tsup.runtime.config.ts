import type { Options } from "tsup";
import { base } from "../tsup.base.js";

/** What the CommonJS entry points load at once: small, and nothing behind it. */
const config: Options = {
  ...base,
  clean: false,
  entry: ["src/runtime/lazy-face.ts"],
  format: ["cjs"],
  outDir: "dist/runtime",
};

export default config;
