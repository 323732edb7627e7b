import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { checkKnownOptions, StateError } from "@hermes/state-core";
import type { SessionFilter, StateStore } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import { codecs } from "../codecs.js";
import { readSession, sessionIdsAfter, storeShape } from "../rows/read-session.js";
import type { StoreShape } from "../rows/read-session.js";
import type { ChildEntity } from "../rows/entities.js";
import type { OwnPatterns } from "../redact/check-patterns.js";
import { redactedDocument } from "../redact/redacted-document.js";
import { Redactor } from "../redact/redactor.js";
import type { ExportCodec, ExportCounts, ExportFormat, Losses } from "./export-codec.js";
import type { SessionDocument } from "./session-document.js";
import type { Sink } from "./sink.js";
import { Spool } from "./spool.js";

/**
 * What to export, and as what. Without `sessionIds` and `filter` everything goes: archived, hidden and child sessions
 * too.
 */
export interface ExportOptions {
  readonly format: ExportFormat;
  /** Exactly these sessions, in this order. */
  readonly sessionIds?: readonly string[];
  /**
   * The sessions that match. Continuations and other children are among them, unless the filter sets `includeChildren`
   * to false.
   */
  readonly filter?: SessionFilter;
  /** Take secrets out of every text: `true` for the common ones, or patterns for more than those (POR-06). */
  readonly redact?: boolean | OwnPatterns;
  /** Called after each session. */
  readonly onSession?: (session: { readonly id: string; readonly messages: number }) => void;
  /** Stops between two sessions; the sink is told to drop what it has. */
  readonly signal?: AbortSignal;
}

/** What an export wrote. */
export interface ExportReport {
  readonly format: ExportFormat;
  readonly sessions: number;
  /** Messages in the sessions, written or left out. */
  readonly messages: number;
  readonly bytes: number;
  /** Hex SHA-256 of everything written. */
  readonly sha256: string;
  /** Rows that the format left out, by kind; empty for a lossless one. */
  readonly leftOut: Losses;
  /** What the format cannot carry, in words. */
  readonly losses: readonly string[];
  /** Secrets that were taken out, by kind; empty without `redact`. */
  readonly redacted: Readonly<Record<string, number>>;
}

const OPTIONS = ["format", "sessionIds", "filter", "redact", "onSession", "signal"] as const;
const ID_PAGE = 500;

/**
 * Writes sessions to a sink, one after the other at constant memory; each is read as one state, never half before
 * and half after somebody changed it (POR-01, POR-03, POR-04).
 *
 * @returns What was written, and what the format could not carry.
 * @throws STATE_E_SESSION_NOT_FOUND for an id in `sessionIds` that is not there, STATE_E_ABORTED, and whatever the sink
 * throws; the sink's `abort` has been called then.
 * @example
 * ```ts
 * await exportStore(store, fileSink(store, "sessions.jsonl"), { format: "jsonl" });
 * ```
 */
export async function exportStore(store: StateStore, sink: Sink, options: ExportOptions): Promise<ExportReport> {
  checkKnownOptions("exportStore", options, OPTIONS);
  const codec = chooseCodec(options.format);
  try {
    const report = await new ExportRun(store, sink, codec, options).run();
    await sink.finish?.();
    return report;
  } catch (error) {
    await sink.abort?.();
    throw error;
  }
}

function chooseCodec(format: ExportFormat): ExportCodec {
  const codec = Object.values(codecs).find((candidate) => candidate.format === format);
  if (codec) return codec;
  const known = Object.values(codecs).map((candidate) => candidate.format);
  throw new RangeError(`exportStore: format must be one of ${known.join(", ")}, not ${JSON.stringify(format)}.`);
}

class ExportRun {
  readonly #hash = createHash("sha256");
  readonly #counts: Record<"session" | ChildEntity, number> = { session: 0, message: 0, usage: 0, daily_usage: 0 };
  readonly #leftOut: Record<string, number> = {};
  readonly #redactor: Redactor | undefined;
  #bytes = 0;

  constructor(
    private readonly store: StateStore,
    private readonly sink: Sink,
    private readonly codec: ExportCodec,
    private readonly options: ExportOptions,
  ) {
    const { redact = false } = options;
    this.#redactor = redact === false ? undefined : new Redactor(redact === true ? undefined : redact);
  }

  async run(): Promise<ExportReport> {
    const shape = this.store.read(storeShape);
    for (const text of this.codec.begin(shape)) await this.#send(Buffer.from(text, "utf8"));
    for (const id of this.#ids()) {
      await nextTurn();
      this.#checkSignal();
      await this.#session(shape, id);
    }
    const counts: ExportCounts = this.#counts;
    const tail = [...this.codec.end({ counts, sha256: this.#hash.copy().digest("hex") })];
    for (const text of tail) await this.#send(Buffer.from(text, "utf8"));
    return {
      format: this.codec.format,
      sessions: counts.session,
      messages: counts.message,
      bytes: this.#bytes,
      sha256: this.#hash.digest("hex"),
      leftOut: this.#leftOut,
      losses: this.codec.losses,
      redacted: this.#redactor?.counts ?? {},
    };
  }

  *#ids(): Generator<string> {
    const { sessionIds, filter } = this.options;
    if (sessionIds) yield* new Set(sessionIds);
    else if (filter) yield* this.#listedIds(filter);
    else yield* this.#allIds();
  }

  /** Segments of a conversation are sessions of their own here, so the listing is not folded into tips. */
  *#listedIds(filter: SessionFilter): Generator<string> {
    const listing = this.store.sessions.iterate({ includeChildren: true, ...filter, projectTips: false });
    for (const session of listing) yield session.id;
  }

  *#allIds(): Generator<string> {
    for (let after = ""; ;) {
      const ids = this.store.read((r) => sessionIdsAfter(r, after, ID_PAGE));
      yield* ids;
      const last = ids.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  async #session(shape: StoreShape, id: string): Promise<void> {
    using spool = new Spool();
    const read = this.store.read((r) => this.#read(r, shape, id, spool));
    if (read) await this.#keep(id, read, spool);
    // Deleted since the ids were read; only a session that was asked for by name must be there.
    else if (this.options.sessionIds) throw notFound(id);
  }

  #read(r: Reader, shape: StoreShape, id: string, spool: Spool): ReadSession | undefined {
    const stored = readSession(r, shape, id);
    if (!stored) return undefined;
    const document = this.#redactor ? redactedDocument(stored, this.#redactor) : stored;
    return { counts: document.counts, losses: fill(spool, this.codec.session(document, this.#counts.session)) };
  }

  async #keep(id: string, { counts, losses }: ReadSession, spool: Spool): Promise<void> {
    this.#counts.session += 1;
    for (const [entity, count] of Object.entries(counts)) this.#counts[entity as ChildEntity] += count;
    for (const [kind, count] of Object.entries(losses)) this.#leftOut[kind] = (this.#leftOut[kind] ?? 0) + count;
    for (const chunk of spool.chunks()) await this.#send(chunk);
    this.options.onSession?.({ id, messages: counts.message ?? 0 });
  }

  async #send(chunk: Buffer): Promise<void> {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    await this.sink.write(chunk);
  }

  #checkSignal(): void {
    const { signal } = this.options;
    if (!signal?.aborted) return;
    throw new StateError(
      "STATE_E_ABORTED",
      "The export was stopped; nothing was kept. Run it again.",
      {},
      { cause: signal.reason },
    );
  }
}

/** What was read of one session. */
interface ReadSession {
  readonly counts: SessionDocument["counts"];
  readonly losses: Losses;
}

function fill(spool: Spool, texts: Generator<string, Losses>): Losses {
  for (let step = texts.next(); ; step = texts.next()) {
    if (step.done) return step.value;
    spool.write(step.value);
  }
}

function notFound(id: string): StateError {
  return new StateError(
    "STATE_E_SESSION_NOT_FOUND",
    `There is no session ${id}. List them with: hermes-state sessions list`,
    { id },
  );
}
