import type { JsonObject } from "@hermes/state-core";

/** The session that a stored entry names; null where it names none. */
export function sessionIdOf(entry: JsonObject | undefined): string | null {
  const id = entry?.["session_id"];
  return typeof id === "string" ? id : null;
}
