import type { Options } from "tsup";
import { base } from "../../tsup.base.js";

const CHILDREN = ["src/open-child.ts", "src/import-child.ts", "src/memory-child.ts"];
const config: Options = { ...base, entry: ["src/index.ts", ...CHILDREN] };

export default config;
