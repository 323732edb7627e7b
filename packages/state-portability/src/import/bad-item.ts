import type { StateErrorCode } from "@hermes/state-core";

/** Why one item of a file cannot be imported; caught where items are judged, and reported with its line. */
export class BadItem extends Error {
  constructor(
    message: string,
    readonly code: StateErrorCode = "STATE_E_IMPORT_SHAPE",
  ) {
    super(message);
  }
}
