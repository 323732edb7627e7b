import { searchMessages } from "@hermes/state-search";
import type {
  ContextMessage,
  QueryHint,
  SearchAnswer,
  SearchHit,
  SearchOptions,
  SearchSort,
} from "@hermes/state-search";
import { systemClock } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { EXIT } from "../errors/exit-code.js";
import { UsageError } from "../errors/usage-error.js";
import { resolveMoment } from "../options/parse-values.js";
import type { Moment } from "../options/parse-values.js";
import type { Output } from "../output/output.js";
import { present, shortTime } from "../output/present.js";
import { sanitizeLine } from "../output/sanitize.js";
import { openForReading } from "../store/open-store.js";
import { resolveSession, sessionNotFound } from "../store/resolve-session.js";
import type { Verb } from "../verb.js";

/** Options of `search`. */
export interface SearchVerbOptions {
  readonly query: string;
  readonly role?: readonly string[];
  readonly source?: readonly string[];
  readonly session?: readonly string[];
  readonly excludeSession?: readonly string[];
  readonly since?: Moment;
  readonly until?: Moment;
  readonly sort?: SearchSort;
  readonly limit: number;
  readonly offset?: number;
  readonly cursor?: string;
  readonly context?: number;
  readonly group?: "session";
}

function searchOptions(store: StateStore, options: SearchVerbOptions): SearchOptions {
  if ((options.context ?? 0) > 1) throw new UsageError("--context takes 0 or 1: the message before and the one after.");
  const now = systemClock.now();
  const since = resolveMoment(options.since, now);
  const until = resolveMoment(options.until, now);
  const ids = (texts: readonly string[]): string[] => texts.map((text) => resolveSession(store, text));
  return {
    limit: options.limit,
    ...(options.role && { roles: options.role }),
    ...(options.source && { sources: options.source }),
    ...(options.session && { sessions: ids(options.session) }),
    ...(options.excludeSession && { excludeSessions: ids(options.excludeSession) }),
    ...(since !== undefined && { sinceSeconds: since }),
    ...(until !== undefined && { untilSeconds: until }),
    ...(options.sort && { sort: options.sort }),
    ...(options.offset !== undefined && { offset: options.offset }),
    ...(options.cursor !== undefined && { cursor: options.cursor }),
    ...(options.group && { groupBy: options.group }),
    ...(options.context === 1 && { context: true }),
  };
}

/** Snippets mark what was found; on a terminal the marks become weight. */
function highlight(output: Output, snippet: string): string {
  const line = sanitizeLine(snippet);
  return output.colors.isColorSupported
    ? line.replace(/>>>(.*?)<<</g, (_match, found: string) => output.colors.bold(found))
    : line;
}

const HINT_TEXT: Readonly<Record<QueryHint, string>> = {
  empty: "Nothing found: the query is empty.",
  "nothing-to-find": "Nothing found: the query holds no word to look for.",
  "only-negative": "Nothing found: a query needs a word that must be there; NOT alone names none.",
  "negative-alternative": "Nothing found: each side of OR needs a word that must be there.",
  cut: "Nothing found. The query was longer than 2,048 characters and was cut.",
};

/** Without `context` where it was not asked for. */
type Hit = Omit<SearchHit, "context"> & Partial<Pick<SearchHit, "context">>;

type Answer = SearchAnswer<Hit>;

function answerText(output: Output, answer: Answer): string {
  if (answer.hits.length === 0)
    return answer.hint === undefined ? "Nothing found." : sanitizeLine(HINT_TEXT[answer.hint]);
  return answer.hits.map((hit) => hitText(output, hit)).join("\n");
}

function hitText(output: Output, hit: Hit): string {
  const tool = hit.toolName === null ? "" : ` ${hit.toolName}`;
  const head = `${hit.sessionId} #${hit.id}  ${hit.role}${tool}  ${shortTime(hit.timestampSeconds)}`;
  const context = hit.context ?? [];
  const at = context.findIndex(({ id }) => id === hit.id);
  const before = context.slice(0, Math.max(0, at)).map((message) => contextLine(output, message));
  const after = context.slice(at + 1).map((message) => contextLine(output, message));
  return [output.colors.cyan(sanitizeLine(head)), ...before, `  ${highlight(output, hit.snippet)}`, ...after].join(
    "\n",
  );
}

function contextLine(output: Output, { role, text }: ContextMessage): string {
  return output.colors.dim(`  ${sanitizeLine(`${role}: ${text}`)}`);
}

/** A hit as scripts get it: its id says which kind of id it is. */
function hitRecord({ id, ...hit }: Hit): object {
  return { messageId: id, ...hit };
}

function documentOf(answer: Answer): unknown {
  return present({ ...answer, hits: answer.hits.map(hitRecord), nextCursor: answer.nextCursor ?? null });
}

function noteWhatIsMissing(output: Output, answer: Answer): void {
  if (!answer.complete) output.notice(`note: this answer is not complete: ${answer.incompleteBecause.join(", ")}`);
}

const NOTHING = { hits: [], complete: true, incompleteBecause: [], route: "empty", nextCursor: null } as const;

/** Finds messages by their words. */
export const search: Verb<SearchVerbOptions> = async (context, options) => {
  const { output } = context;
  using store = openForReading(context);
  if (!store) {
    if (options.session) throw sessionNotFound(options.session[0] ?? "");
    if (output.mode === "json") await output.json(NOTHING);
    else if (output.mode === "human") await output.text("Nothing found.");
    return EXIT.done;
  }
  const answer = searchMessages(store, options.query, searchOptions(store, options));
  if (output.mode === "json") await output.json(documentOf(answer));
  else if (output.mode === "jsonl") for (const hit of answer.hits) await output.jsonl(present(hitRecord(hit)));
  else await output.text(answerText(output, answer));
  if (output.mode !== "json") noteWhatIsMissing(output, answer);
  return EXIT.done;
};
