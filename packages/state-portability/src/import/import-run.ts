import type { StoreContext } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import { freeTitle } from "./free-title.js";
import { growSession, growthOf } from "../foreign/grow-session.js";
import type { GrownSession } from "../foreign/grow-session.js";
import type { ImportFormatName, ImportReader, IncomingSession, ScannedSession } from "./import-reader.js";
import { REPORT_LIST_LIMIT } from "./import-report.js";
import type { FileImport, ImportItem } from "./import-report.js";
import { insertSession } from "./insert-session.js";
import type { InsertPolicy } from "./insert-session.js";
import type { WantedLink } from "./plan-links.js";
import type { ScanResult } from "./scan-all.js";
import { addIncomingColumns, missingColumns, storeColumns, TABLE_OF } from "./store-columns.js";

/** How sessions are taken in. */
export interface ImportRunOptions {
  readonly dryRun: boolean;
  readonly onItem: ((item: ImportItem) => void) | undefined;
}

const EXISTS_SQL = "SELECT 1 AS found FROM sessions WHERE id = ?";
const HAS_MESSAGES_SQL = "SELECT EXISTS (SELECT 1 FROM messages) AS found";
const HERE = "the store has a session with this id";
const OTHER = "the store has another session with this id";
const SAME = "nothing in it is new";

type Outcome = Omit<ImportItem, "line" | "sessionId"> & {
  readonly parentId?: string | undefined;
  readonly leftOut?: number;
};

/** The second pass: takes sessions in one by one and keeps the books. */
export class ImportRun {
  #imported = 0;
  #grown = 0;
  #skipped = 0;
  #messages = 0;
  #leftOut = 0;
  #addedColumns: readonly string[] = [];
  #policy: InsertPolicy = { columns: {}, keepIds: false };
  readonly #renamed: { sessionId: string; from: string; to: string }[] = [];
  readonly #wanted: WantedLink[] = [];
  /** Sessions that a dry run would have written, and their titles. */
  readonly #planned = { ids: new Set<string>(), titles: new Set<string>() };

  constructor(
    private readonly store: StoreContext,
    private readonly reader: ImportReader,
    private readonly options: ImportRunOptions,
  ) {}

  get imported(): number {
    return this.#imported;
  }

  /** Makes the store ready: columns that the file has and the store lacks. */
  begin(): void {
    const columns = this.reader.columns();
    const { missing, policy } = this.store.read((r) => {
      const present = storeColumns(r);
      const keepIds = r.get<{ found: number }>(HAS_MESSAGES_SQL)?.found === 0;
      return { missing: missingColumns(columns, present), policy: { columns: present, keepIds } };
    });
    this.#policy = policy;
    this.#addedColumns = missing.map(({ entity, name }) => `${TABLE_OF[entity]}.${name}`);
    if (missing.length === 0 || this.options.dryRun) return;
    this.store.write("add columns for an import", (w) => {
      this.#addedColumns = addIncomingColumns(w, columns);
      this.#policy = { ...policy, columns: storeColumns(w) };
    });
  }

  /** Takes in one session, whole or not at all. */
  take(session: ScannedSession): void {
    const { parentId, leftOut = 0, ...outcome } = this.options.dryRun ? this.#plan(session) : this.#write(session);
    if (outcome.outcome === "imported") this.#imported += 1;
    else if (outcome.outcome === "grown") this.#grown += 1;
    else this.#skipped += 1;
    this.#messages += outcome.messages;
    this.#leftOut += leftOut;
    if (parentId !== undefined) this.#wanted.push({ id: session.id, parentId });
    if (outcome.renamed) this.#renamed.push({ sessionId: session.id, ...outcome.renamed });
    this.options.onItem?.({ line: session.number, sessionId: session.id, ...outcome });
  }

  /** Closes the books. Parents are linked by the caller, when all files of a folder are in. */
  finish(format: ImportFormatName, scan: ScanResult): FileImport {
    return {
      format,
      dryRun: this.options.dryRun,
      found: scan.sessions.length,
      imported: this.#imported,
      grown: this.#grown,
      skipped: this.#skipped,
      failed: scan.problemCount,
      messages: this.#messages,
      leftOut: this.#leftOut,
      addedColumns: this.#addedColumns,
      renamed: this.#renamed.slice(0, REPORT_LIST_LIMIT),
      problems: scan.problems,
      wanted: this.#wanted,
      planned: this.#planned.ids,
    };
  }

  #write(session: ScannedSession): Outcome {
    return this.store.write(
      "import a session",
      (w): Outcome => {
        if (w.get(EXISTS_SQL, [session.id]))
          return this.#grow(session, (incoming) => growSession(w, incoming, this.#policy.columns));
        const { messages, renamed, parentId, leftOut } = insertSession(w, this.reader.load(session), this.#policy);
        return { outcome: "imported", messages, parentId, leftOut, ...(renamed && { renamed }) };
      },
      "transcript",
    );
  }

  #plan(session: ScannedSession): Outcome {
    return this.store.read((r): Outcome => {
      if (r.get(EXISTS_SQL, [session.id])) return this.#grow(session, (incoming) => growthOf(r, incoming));
      const incoming = this.reader.load(session);
      const { title } = incoming.row;
      const renamed = typeof title === "string" ? this.#planTitle(r, title) : undefined;
      this.#planned.ids.add(session.id);
      return {
        outcome: "imported",
        messages: session.messages,
        parentId: parentOf(incoming),
        ...(renamed && { renamed }),
      };
    });
  }

  /** A session that is here: what is new in its source is added when the source keeps its ids. */
  #grow(session: ScannedSession, grow: (incoming: IncomingSession) => GrownSession | undefined): Outcome {
    if (!this.reader.grows) return { outcome: "skipped", messages: 0, reason: HERE };
    const incoming = this.reader.load(session);
    const grown = grow(incoming);
    if (!grown) return { outcome: "skipped", messages: 0, reason: OTHER };
    const parentId = parentOf(incoming);
    if (grown.added + grown.changed === 0) return { outcome: "skipped", messages: 0, reason: SAME, parentId };
    return { outcome: "grown", messages: grown.added, parentId };
  }

  #planTitle(r: Reader, from: string): { from: string; to: string } | undefined {
    const to = freeTitle(r, from, this.#planned.titles);
    this.#planned.titles.add(to);
    return to === from ? undefined : { from, to };
  }
}

/** The session that an incoming one names as its parent. */
function parentOf({ row: { parent_session_id: parent } }: IncomingSession): string | undefined {
  return typeof parent === "string" && parent !== "" ? parent : undefined;
}
