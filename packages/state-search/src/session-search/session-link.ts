const MARK = "@session:";

/** The profile a program calls so has no name that would be understood elsewhere. */
const NAMELESS = "custom";

/** A link that names a session to a person and to a later search. */
export function sessionLink(profile: string | undefined, sessionId: string): string {
  const name = profile?.trim().toLowerCase();
  return name === undefined || name === "" || name === NAMELESS
    ? `${MARK}${sessionId}`
    : `${MARK}${name}/${sessionId}`;
}

/** Reads a link, the part of it behind its mark, or a bare id. */
export function parseSessionLink(text: string): { readonly profile: string; readonly sessionId: string } {
  const named = text.startsWith(MARK) ? text.slice(MARK.length) : text;
  const slash = named.indexOf("/");
  return slash === -1
    ? { profile: "", sessionId: named }
    : { profile: named.slice(0, slash), sessionId: named.slice(slash + 1) };
}
