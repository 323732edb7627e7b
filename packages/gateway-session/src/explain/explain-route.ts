import type { RouteStep, RoutingEntry } from "../entry/routing-entry.js";
import { parseSessionKey } from "../key/parse-session-key.js";
import type { SessionKeyParts } from "../key/session-key-parts.js";
import { nextReset } from "../policy/next-reset.js";
import type { NextReset } from "../policy/next-reset.js";
import type { ResetPolicy } from "../policy/reset-policy.js";
import type { KeyedSession, SessionStanding } from "../port/session-storage-port.js";
import type { RouteContext } from "../router/route-context.js";
import { sourceOf } from "../router/source-of.js";

/** Why a key leads where it leads (GWS-09). */
export interface RouteExplanation {
  readonly sessionKey: string;
  /** What the key says; null for what is no key. */
  readonly parts: SessionKeyParts | null;
  /** The route, null where there is none. */
  readonly entry: RoutingEntry | null;
  /** Whether the storage knows of it. */
  readonly durable: boolean;
  /** How its session stands now. */
  readonly standing: SessionStanding | null;
  readonly policy: ResetPolicy | null;
  /** When time will end it, if nothing happens until then; null for never. */
  readonly next: NextReset | null;
  /** How often the conversation of this peer began anew (GWS-07). */
  readonly generation: number | null;
  /** The last steps of the route, oldest first. */
  readonly history: readonly RouteStep[];
  /** The sessions of the key, newest first: what is known without the steps. */
  readonly sessions: readonly KeyedSession[];
  /** The answer in sentences: what happens to the next message, and why. */
  readonly because: readonly string[];
}

const SESSIONS_SHOWN = 20;

function partsOf(sessionKey: string): SessionKeyParts | null {
  try {
    return parseSessionKey(sessionKey);
  } catch {
    // The key is shown as it is.
    return null;
  }
}

function sentenceOf({ what, sessionId, previousSessionId, why }: RouteStep): string {
  const from = previousSessionId === undefined ? "" : ` from ${previousSessionId}`;
  return `${what.replaceAll("_", " ")}: ${sessionId}${from}${why === undefined ? "" : ` (${why})`}`;
}

function standingSentence({ state, endReason, tip, sessionId }: SessionStanding): string {
  if (state === "missing") return "Nothing was said in it yet, or its row was deleted; the next message makes the row.";
  if (state === "live") return "It is live: the next message goes there.";
  if (state === "closed" && tip !== sessionId) return `A compaction closed it; the conversation goes on in ${tip}.`;
  if (state === "closed") return "A compaction closed it and made no continuation; the next message reopens it.";
  return `It ended (${endReason ?? "no reason given"}).`;
}

function nextSentence(next: NextReset | null): string {
  if (!next) return "Time does not end it.";
  const at = new Date(next.atSeconds * 1000).toISOString();
  if (next.due) return `The next message begins a new session (${next.reason}, since ${at}).`;
  return `Without activity it is over after ${at} (${next.reason}).`;
}

function reasons(entry: RoutingEntry, standing: SessionStanding | null, next: NextReset | null): string[] {
  const last = entry.history.at(-1);
  return [
    `The key leads to ${entry.sessionId}.`,
    ...(last ? [sentenceOf(last)] : []),
    ...(entry.resumePending ? [`A turn waits to be taken up (${entry.resumeReason ?? "no reason given"}).`] : []),
    ...(standing ? [standingSentence(standing)] : ["The storage did not say how the session stands."]),
    nextSentence(next),
  ];
}

async function orNull<T>(context: RouteContext, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    context.warn({ kind: "storage", detail: String(error) });
    return null;
  }
}

/** Explains a route. Nothing is changed, and what the storage does not answer is null. */
export async function explainRoute(context: RouteContext, sessionKey: string): Promise<RouteExplanation> {
  const { keeper, port } = context;
  const entry = (await orNull(context, keeper.find(sessionKey))) ?? null;
  const sessions = (await orNull(context, port.sessionsOfKey(sessionKey, SESSIONS_SHOWN))) ?? [];
  const parts = partsOf(sessionKey);
  const platform = (entry && sourceOf(entry).platform) ?? parts?.platform;
  const generation = platform === undefined ? null : await orNull(context, port.generation(platform, sessionKey));
  const shown = { sessionKey, parts, entry, durable: keeper.isDurable(sessionKey), generation, sessions };
  if (!entry) {
    const because = ["There is no route. The next message of this peer looks for its last session, else begins one."];
    return { ...shown, standing: null, policy: null, next: null, history: [], because };
  }
  const standing = await orNull(context, port.standing(entry.sessionId));
  const next = nextReset(await context.resetQuestion(entry));
  const because = reasons(entry, standing, next);
  return { ...shown, standing, policy: context.policyOf(entry), next, history: entry.history, because };
}
