const DRIVE = /^[A-Za-z]:/;

/** Why a text must not be used: what it holds. Undefined when there is nothing to say against it. */
export type NameObjection = "empty" | "not_text" | "parent_folder" | "separator" | "drive" | "nul" | "half_character";

function objectionToText(text: unknown): NameObjection | undefined {
  if (typeof text !== "string") return "not_text";
  if (text.trim() === "") return "empty";
  if (text.includes("\0")) return "nul";
  if (!text.isWellFormed()) return "half_character";
  if (text.includes("..")) return "parent_folder";
  return DRIVE.test(text) ? "drive" : undefined;
}

/**
 * Says why a session key could lead out of a folder when something makes a path of it, or could not be stored.
 *
 * @returns Undefined for a key that is safe; a "/" inside it is legal (`spaces/x/threads/y`). Source: GWS-02.
 */
export function checkSessionKey(key: unknown): NameObjection | undefined {
  const objection = objectionToText(key);
  if (objection !== undefined) return objection;
  return /^[/\\]/.test(key as string) ? "separator" : undefined;
}

/**
 * The same for a session id, which is the name of a file: it must not hold a "/" or "\" at all.
 *
 * @returns Undefined for an id that is safe. Source: GWS-02.
 */
export function checkSessionId(id: unknown): NameObjection | undefined {
  const objection = objectionToText(id);
  if (objection !== undefined) return objection;
  return /[/\\]/.test(id as string) ? "separator" : undefined;
}
