import type { Options } from "tsup";
import { base } from "../../tsup.base.js";

const config: Options = { ...base, entry: ["src/main.ts"] };

export default config;
