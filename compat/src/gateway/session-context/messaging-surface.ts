import { getSessionEnv } from "./get-session-env.js";

/** Where somebody sits in front of the program, or nobody does: no chat platform delivers there (CPT-03). */
export const NON_MESSAGING_SESSION_SURFACES: ReadonlySet<string> = new Set([
  "",
  "acp",
  "api_server",
  "cli",
  "cron",
  "desktop",
  "local",
  "tui",
  "webhook",
]);

/** Whether the session of this work is talked to over a chat platform (CPT-03). */
export function sessionIsMessagingSurface(): boolean {
  return !NON_MESSAGING_SESSION_SURFACES.has(getSessionEnv("HERMES_SESSION_PLATFORM").trim().toLowerCase());
}
