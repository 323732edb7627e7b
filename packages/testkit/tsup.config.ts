import type { Options } from "tsup";
import { base } from "../../tsup.base.js";

/** vitest is the runner's own copy: a bundled second one would register tests nowhere. */
const options: Options = { ...base, external: ["vitest"] };

export default options;
