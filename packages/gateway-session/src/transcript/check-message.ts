import { checkKnownOptions } from "@hermes/state-core";
import { MESSAGE_KEYS } from "./spooled-message.js";

const KNOWN = [...MESSAGE_KEYS, "id", "_persisted"];

/**
 * Refuses what no store would take at once, before it could wait for one.
 *
 * @throws TypeError for what is no message, or has an unknown key.
 */
export function checkMessage(message: unknown): void {
  if (typeof message !== "object" || message === null) throw new TypeError("A message must be an object.");
  checkKnownOptions("message", message, KNOWN);
  const { role } = message as { role?: unknown };
  if (typeof role !== "string" || role === "") throw new TypeError("message.role must be a non-empty string.");
}
