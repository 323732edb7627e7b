import type { Options } from "tsup";
import { base } from "../../tsup.base.js";

const config: Options = {
  ...base,
  entry: ["src/index.ts", "src/open-child.ts", "src/import-child.ts", "src/memory-child.ts", "src/gateway-child.ts"],
};

export default config;
