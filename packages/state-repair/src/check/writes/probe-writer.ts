import type { Writer } from "@hermes/state-schema";

/** A connection on which a write can be rehearsed: whatever `fn` does is rolled back. */
export interface ProbeWriter {
  rehearse<T>(fn: (w: Writer) => T): T;
}
