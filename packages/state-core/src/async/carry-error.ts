import { isStateError, StateError } from "../errors/state-error.js";
import type { StateErrorCode } from "../errors/state-error.js";
import type { CarriedError } from "./worker-protocol.js";

function typeOf(error: unknown): CarriedError["type"] {
  if (isStateError(error)) return "state";
  if (error instanceof TypeError) return "type";
  return error instanceof RangeError ? "range" : "other";
}

/** Facts that can be copied; one that cannot is told by its name. */
function copyable(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(facts).map(([name, value]) => {
    try {
      return [name, structuredClone(value)] as const;
    } catch {
      // A function or handle among the facts: its text is better than no error at all.
      return [name, String(value)] as const;
    }
  });
  return Object.fromEntries(entries);
}

/** Packs an error for another thread. */
export function packError(error: unknown): CarriedError {
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  const packed = { type: typeOf(error), message, stack };
  return isStateError(error) ? { ...packed, code: error.code, facts: copyable(error.facts) } : packed;
}

/** Makes an error of what another thread packed; the stack of that thread becomes the cause's. */
export function unpackError(carried: CarriedError): Error {
  const cause = new Error(carried.message);
  if (carried.stack !== undefined) cause.stack = carried.stack;
  switch (carried.type) {
    case "state":
      return new StateError(carried.code as StateErrorCode, carried.message, carried.facts, { cause });
    case "type":
      return new TypeError(carried.message, { cause });
    case "range":
      return new RangeError(carried.message, { cause });
    default:
      return new Error(carried.message, { cause });
  }
}
