import type { Options } from "tsup";
import { base } from "../../tsup.base.js";

// The worker is a file of its own beside the index, which starts it by its name.
const options: Options = { ...base, entry: { index: "src/index.ts", "state-worker": "src/async/state-worker.ts" } };

export default options;
