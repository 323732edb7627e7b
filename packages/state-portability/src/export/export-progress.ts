import type { Progress, StateStore } from "@hermes/state-core";
import type { PiecedRow } from "../rows/long-text.js";
import type { SessionDocument } from "./session-document.js";

/** Messages between two reports. */
const STEP = 500;

const COUNT_ALL_SQL = "SELECT COUNT(1) AS n FROM messages";

/** Tells how far an export is, in messages that were read. */
export class ExportProgress {
  #done = 0;
  readonly #total: number | undefined;

  /** @param sessionIds - The sessions that go, where they are known beforehand; `all` of them. */
  constructor(
    store: StateStore,
    sessionIds: readonly string[] | "all" | undefined,
    private readonly onProgress: ((progress: Progress) => void) | undefined,
  ) {
    this.#total = onProgress && sessionIds && countMessages(store, sessionIds);
  }

  /** The same session, with its messages counted as they are read. */
  following(document: SessionDocument): SessionDocument {
    if (!this.onProgress) return document;
    return {
      ...document,
      rows: (entity) => this.#counted(entity === "message", document.rows(entity)),
      piecedRows: (entity) =>
        this.#counted(entity === "message", document.piecedRows?.(entity) ?? document.rows(entity)),
    };
  }

  /** A session is done with. */
  report(): void {
    const total = this.#total === undefined ? undefined : Math.max(this.#total, this.#done);
    this.onProgress?.({ phase: "exporting", done: this.#done, total });
  }

  *#counted<Row extends PiecedRow>(isMessage: boolean, rows: Iterable<Row>): Generator<Row> {
    for (const row of rows) {
      yield row;
      if (isMessage && (this.#done += 1) % STEP === 0) this.report();
    }
  }
}

function countMessages(store: StateStore, sessionIds: readonly string[] | "all"): number {
  if (sessionIds === "all") return store.read((r) => r.get<{ n: number }>(COUNT_ALL_SQL)?.n ?? 0);
  return sessionIds.reduce((sum, id) => sum + store.messages.count(id), 0);
}
