/** What happens at the use of a deprecated name. */
export type CompatMode = "silent" | "warn" | "throw";

/** `HERMES_STATE_COMPAT`, read at each use: a host may set it before it loads plugins. Anything else warns. */
export function compatMode(): CompatMode {
  const mode = process.env["HERMES_STATE_COMPAT"];
  return mode === "silent" || mode === "throw" ? mode : "warn";
}
