import { AsyncLocalStorage } from "node:async_hooks";

/** The variables of a session, by the name they have in an environment. */
export type SessionVariables = ReadonlyMap<string, string>;

/** What flows with the work of one session. */
export interface SessionFlow {
  readonly variables: SessionVariables;
  /** Whether an answer may come later than the request that asked for it; undefined when nobody said. */
  readonly asyncDelivery: boolean | undefined;
}

/** Parameter of `setSessionVars` and the variable it sets. */
export const VARIABLE_OF = {
  platform: "HERMES_SESSION_PLATFORM",
  source: "HERMES_SESSION_SOURCE",
  chatId: "HERMES_SESSION_CHAT_ID",
  chatType: "HERMES_SESSION_CHAT_TYPE",
  chatName: "HERMES_SESSION_CHAT_NAME",
  threadId: "HERMES_SESSION_THREAD_ID",
  userId: "HERMES_SESSION_USER_ID",
  userName: "HERMES_SESSION_USER_NAME",
  sessionKey: "HERMES_SESSION_KEY",
  sessionId: "HERMES_SESSION_ID",
  messageId: "HERMES_SESSION_MESSAGE_ID",
  profile: "HERMES_SESSION_PROFILE",
  cwd: "HERMES_SESSION_CWD",
  uiSessionId: "HERMES_UI_SESSION_ID",
  cronSession: "HERMES_CRON_SESSION",
} as const;

/** A parameter that sets a variable. */
export type VariableName = keyof typeof VARIABLE_OF;

const flow: AsyncLocalStorage<SessionFlow | undefined> = new AsyncLocalStorage<SessionFlow | undefined>();
let engaged = false;

/** What flows here; undefined where nobody set anything. */
export function currentFlow(): SessionFlow | undefined {
  return flow.getStore();
}

/** Sets what flows from here on: in this work and in what it starts, and in nobody else's. */
export function enterFlow(next: SessionFlow | undefined): void {
  if (next !== undefined) engaged = true;
  flow.enterWith(next);
}

/** Whether anything ever flowed in this process. */
export function everEngaged(): boolean {
  return engaged;
}
