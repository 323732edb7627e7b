import type { Reader } from "@hermes/state-schema";
import type { ProbeWriter } from "../writes/probe-writer.js";

/** A file that is open to be looked at. */
export interface CheckSession extends Disposable {
  readonly r: Reader;
  /** Undefined where the file cannot be opened for writing. */
  readonly writer: ProbeWriter | undefined;
  /** Others have the file open, or may have. */
  readonly shared: boolean;
}
