import { describeSessions } from "@hermes/state-core";
import type { Session, SessionListOptions, SessionSummary, StateStore } from "@hermes/state-core";

/** What the compact form of a row leaves out. */
type Bulky = "systemPromptHash" | "gitMetadataGeneration";

/** A session as the listings of the old program showed it; the prompt is there unless the row is compact. */
export interface RichSession extends Omit<SessionSummary, Bulky>, Partial<Pick<SessionSummary, Bulky>> {
  readonly systemPrompt?: Session["systemPrompt"];
}

const PAGE = 1_000;

/** A row with the prompt, or without what is bulky. */
export function richRow(store: StateStore, { lineageRootId, ...rest }: SessionSummary, compact: boolean): RichSession {
  const row = lineageRootId === undefined ? rest : { ...rest, lineageRootId };
  if (!compact) return { ...row, systemPrompt: store.sessions.find(rest.id)?.systemPrompt } as RichSession;
  const { systemPromptHash: _hash, gitMetadataGeneration: _generation, ...bare } = row;
  return bare as RichSession;
}

/** Describes sessions by their ids, each as it is itself; unknown ones are left out. */
export function describeById(store: StateStore, ids: readonly string[]): readonly SessionSummary[] {
  store.settleUsage("read");
  return store.read((r) => describeSessions(r, ids, false));
}

/**
 * Any stretch of a listing.
 *
 * @param limit - How many; a negative number stands for all, 0 for none.
 */
export function listStretch(
  store: StateStore,
  options: Omit<SessionListOptions, "limit" | "offset" | "cursor">,
  limit: number,
  offset: number,
): SessionSummary[] {
  if (!Number.isSafeInteger(limit)) throw new RangeError(`SessionDB: limit is ${limit}, no whole number.`);
  const wanted = limit < 0 ? Number.MAX_SAFE_INTEGER : limit;
  const lines: SessionSummary[] = [];
  const pinned: SessionSummary[] = [];
  let cursor: string | undefined;
  while (lines.length < wanted) {
    const size = Math.min(wanted - lines.length, PAGE);
    const page = store.sessions.list({ ...options, limit: size, ...(cursor === undefined ? { offset } : { cursor }) });
    lines.push(...page.sessions.slice(0, size));
    pinned.push(...page.sessions.slice(size));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const shown = new Set(lines.map((line) => line.id));
  return [...lines, ...pinned.filter((line) => !shown.has(line.id))];
}
