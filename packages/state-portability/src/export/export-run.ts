import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StateError } from "@hermes/state-core";
import type { SessionFilter, StateStore } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import { redactedDocument } from "../redact/redacted-document.js";
import { redactedShape } from "../redact/redacted-shape.js";
import { Redactor } from "../redact/redactor.js";
import type { ChildEntity } from "../rows/entities.js";
import { NotUtf8 } from "../rows/long-text.js";
import { readSession, sessionIdsAfter, storeShape } from "../rows/read-session.js";
import type { StoreShape } from "../rows/read-session.js";
import type { ExportCodec, ExportCounts, Losses } from "./export-codec.js";
import type { ExportOptions, ExportReport } from "./export-options.js";
import { ExportProgress } from "./export-progress.js";
import { lineageSessions, sessionNotFound } from "./lineage-sessions.js";
import type { SessionDocument } from "./session-document.js";
import type { Sink } from "./sink.js";
import { Spool } from "./spool.js";

const ID_PAGE = 500;

/** One export, from its first byte to its report. */
export class ExportRun {
  readonly #hash = createHash("sha256");
  /** One for all sessions: making it costs more than a short session. */
  readonly #spool = new Spool();
  readonly #counts: Record<"session" | ChildEntity, number> = { session: 0, message: 0, usage: 0, daily_usage: 0 };
  readonly #leftOut: Record<string, number> = {};
  readonly #redactor: Redactor | undefined;
  readonly #sessionIds: readonly string[] | undefined;
  readonly #progress: ExportProgress;
  #bytes = 0;

  constructor(
    private readonly store: StateStore,
    private readonly sink: Sink,
    private readonly codec: ExportCodec,
    private readonly options: ExportOptions,
  ) {
    const { sessionIds, lineage = "single", filter, redact = false } = options;
    this.#sessionIds = sessionIds && lineageSessions(store, sessionIds, lineage);
    this.#progress = new ExportProgress(store, this.#sessionIds ?? (filter ? undefined : "all"), options.onProgress);
    this.#redactor = redact === false ? undefined : new Redactor(redact === true ? undefined : redact);
  }

  /** Writes everything; the sink is neither finished nor told of a failure. */
  async run(): Promise<ExportReport> {
    using _spool = this.#spool;
    const shape = this.store.read(storeShape);
    const told = this.#redactor ? redactedShape(shape, this.#redactor) : shape;
    for (const text of this.codec.begin(told)) await this.#send(Buffer.from(text, "utf8"));
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
    const { filter } = this.options;
    if (this.#sessionIds) yield* this.#sessionIds;
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
    this.#spool.clear();
    const read = this.store.read((r) => this.#read(r, shape, id));
    if (read) await this.#keep(id, read);
    // Deleted since the ids were read; only a session that was asked for by name must be there.
    else if (this.options.sessionIds) throw sessionNotFound(id);
  }

  #read(r: Reader, shape: StoreShape, id: string): ReadSession | undefined {
    const stored = readSession(r, shape, id);
    if (!stored) return undefined;
    const followed = this.#progress.following(stored);
    const document = this.#redactor ? redactedDocument(followed, this.#redactor) : followed;
    return { counts: document.counts, losses: this.#fill(document) };
  }

  #fill(document: SessionDocument): Losses {
    const position = this.#counts.session;
    try {
      return fill(this.#spool, this.codec.session(document, position));
    } catch (error) {
      if (!(error instanceof NotUtf8)) throw error;
      // A text that can only be told by its bytes is written as a whole.
      const { piecedRows: _pieced, ...whole } = document;
      this.#spool.clear();
      return fill(this.#spool, this.codec.session(whole, position));
    }
  }

  async #keep(id: string, { counts, losses }: ReadSession): Promise<void> {
    this.#counts.session += 1;
    for (const [entity, count] of Object.entries(counts)) this.#counts[entity as ChildEntity] += count;
    for (const [kind, count] of Object.entries(losses)) this.#leftOut[kind] = (this.#leftOut[kind] ?? 0) + count;
    for (const chunk of this.#spool.chunks()) await this.#send(chunk);
    this.options.onSession?.({ id, messages: counts.message ?? 0 });
    this.#progress.report();
  }

  async #send(chunk: Buffer): Promise<void> {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    await this.sink.write(chunk);
  }

  #checkSignal(): void {
    const { signal } = this.options;
    if (!signal?.aborted) return;
    throw exportStopped(signal);
  }
}

/** What was read of one session. */
interface ReadSession {
  readonly counts: SessionDocument["counts"];
  readonly losses: Losses;
}

/** The export ends early, at the caller's wish. */
function exportStopped(signal: AbortSignal): StateError {
  const message = "The export was stopped; nothing was kept. Run it again.";
  return new StateError("STATE_E_ABORTED", message, {}, { cause: signal.reason });
}

function fill(spool: Spool, texts: Generator<string, Losses>): Losses {
  for (let step = texts.next(); ; step = texts.next()) {
    if (step.done) return step.value;
    spool.write(step.value);
  }
}
