import type { Options } from "tsup";
import { base } from "../../tsup.base.js";

const config: Options = { ...base, entry: ["src/index.ts", "src/open-child.ts"] };

export default config;
