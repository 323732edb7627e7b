import { defaultStatePath } from "@hermes/state-core";

/** The default path as it was when this module was first loaded. `defaultStatePath()` computes it now (P30). */
export const DEFAULT_DB_PATH: string = defaultStatePath();
