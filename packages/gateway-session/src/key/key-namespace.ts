const MAIN = "main";

/**
 * The namespace of a profile: `main` for none and "default". A profile that is called `main` itself, or looks like one
 * that was moved out of the way, gets a "~" more, or it would share every session with the main one.
 */
export function profileNamespace(profile: string | null | undefined): string {
  if (profile === undefined || profile === null || profile === "" || profile === "default") return MAIN;
  return /^main~*$/.test(profile) ? `${profile}~` : profile;
}

/** The profile of a namespace; null for the main one. */
export function namespaceProfile(namespace: string): string | null {
  if (namespace === MAIN || namespace === "default") return null;
  return /^main~+$/.test(namespace) ? namespace.slice(0, -1) : namespace;
}
