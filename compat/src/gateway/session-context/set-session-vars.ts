import { callArguments } from "../../session-db/call-arguments.js";
import { currentFlow, enterFlow, VARIABLE_OF } from "./session-variables.js";
import type { SessionFlow, VariableName } from "./session-variables.js";

/** What `setSessionVars` takes; text that is left out is empty. */
export type SessionVars = Partial<Readonly<Record<VariableName, string | null>>> & {
  /** Whether an answer may come later than the request that asked for it. Default: it may. */
  readonly asyncDelivery?: boolean | null;
};

/** What flowed before; for `clearSessionVars`. */
export interface SessionVarTokens {
  readonly before: SessionFlow | undefined;
}

/** The old order. */
const NAMES = [
  "platform",
  "source",
  "chatId",
  "chatType",
  "chatName",
  "threadId",
  "userId",
  "userName",
  "sessionKey",
  "sessionId",
  "messageId",
  "profile",
  "cwd",
  "asyncDelivery",
  "uiSessionId",
  "cronSession",
] as const;

function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw new TypeError(`setSessionVars: ${name} must be a string, not ${typeof value}.`);
}

/**
 * Says whose session the work from here on belongs to (CPT-03). It flows into what this work starts, and into no other.
 *
 * @param args - In the old order, or by name in one last object.
 * @returns What `clearSessionVars` takes.
 */
export function setSessionVars(options?: SessionVars): SessionVarTokens;
export function setSessionVars(platform?: string | null, ...args: readonly unknown[]): SessionVarTokens;
export function setSessionVars(...args: readonly unknown[]): SessionVarTokens {
  const given = callArguments("setSessionVars", args, NAMES);
  const asyncDelivery = given["asyncDelivery"] ?? undefined;
  if (asyncDelivery !== undefined && typeof asyncDelivery !== "boolean") {
    throw new TypeError(`setSessionVars: asyncDelivery must be a boolean, not ${typeof asyncDelivery}.`);
  }
  const before = currentFlow();
  const texts = Object.entries(VARIABLE_OF).map(([name, variable]) => [variable, textOf(name, given[name])] as const);
  enterFlow({ variables: new Map(texts), asyncDelivery });
  return { before };
}
