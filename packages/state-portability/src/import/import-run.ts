import type { StoreContext } from "@hermes/state-core";
import type { Reader, Writer } from "@hermes/state-schema";
import { freeTitle } from "./free-title.js";
import { apply } from "./conflict/apply.js";
import type { Decision, ImportMode } from "./conflict/decision.js";
import { decide, isElsewhere, isStored } from "./conflict/decide.js";
import type { Conflict } from "./conflict/decide.js";
import { refuseInUse } from "./conflict/refuse-in-use.js";
import type { ImportFormatName, ImportReader, IncomingSession, ScannedSession } from "./import-reader.js";
import { REPORT_LIST_LIMIT } from "./import-report.js";
import type { FileImport, ImportItem } from "./import-report.js";
import type { ImportProgress } from "./import-progress.js";
import { insertMessages } from "./insert-messages.js";
import { insertSession } from "./insert-session.js";
import type { InsertPolicy } from "./insert-session.js";
import type { Planned } from "./planned.js";
import type { WantedLink } from "./plan-links.js";
import type { ScanResult } from "./scan-all.js";
import { addIncomingColumns, missingColumns, storeColumns, TABLE_OF } from "./store-columns.js";

/** How sessions are taken in. */
export interface ImportRunOptions {
  readonly dryRun: boolean;
  readonly mode: ImportMode;
  readonly onItem: ((item: ImportItem) => void) | undefined;
  readonly progress: ImportProgress;
  readonly planned: Planned;
}

const PLACES_BY_ID_SQL = `SELECT EXISTS (
  SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = 'messages_display_order_insert') AS found`;
const HAS_MESSAGES_SQL = "SELECT EXISTS (SELECT 1 FROM messages) AS found";

type Outcome = Omit<ImportItem, "line" | "sessionId"> & {
  readonly parentId?: string | undefined;
  readonly leftOut?: number;
};

/** The second pass: takes sessions in one by one and keeps the books. */
export class ImportRun {
  readonly #counts = { imported: 0, grown: 0, replaced: 0, skipped: 0, failed: 0 };
  #messages = 0;
  #leftOut = 0;
  #addedColumns: readonly string[] = [];
  #policy: InsertPolicy = { columns: {}, keepIds: false, placesById: false };
  readonly #renamed: { sessionId: string; from: string; to: string }[] = [];
  readonly #wanted: WantedLink[] = [];
  /** Ids that copies got, by the ids of the file: a copied parent keeps its copied children. */
  readonly #storedAs = new Map<string, string>();

  constructor(
    private readonly store: StoreContext,
    private readonly reader: ImportReader,
    private readonly options: ImportRunOptions,
  ) {}

  get imported(): number {
    return this.#counts.imported;
  }

  /** Makes the store ready: columns that the file has and the store lacks. */
  begin(): void {
    const columns = this.reader.columns();
    const { missing, policy } = this.store.read((r) => {
      const present = storeColumns(r);
      const keepIds = r.get<{ found: number }>(HAS_MESSAGES_SQL)?.found === 0;
      const placesById = r.get<{ found: number }>(PLACES_BY_ID_SQL)?.found === 1;
      return { missing: missingColumns(columns, present), policy: { columns: present, keepIds, placesById } };
    });
    this.#policy = policy;
    this.#addedColumns = missing.map(({ entity, name }) => `${TABLE_OF[entity]}.${name}`);
    if (missing.length === 0 || this.options.dryRun) return;
    this.store.write("add columns for an import", (w) => {
      this.#addedColumns = addIncomingColumns(w, columns);
      this.#policy = { ...policy, columns: storeColumns(w) };
    });
  }

  /** Takes in sessions, each whole or not at all; those that are all new arrive together. */
  takeAll(sessions: readonly ScannedSession[]): void {
    const together = sessions.length > 1 && !this.options.dryRun ? this.#writeNew(sessions) : undefined;
    sessions.forEach((session, index) => {
      this.#take(session, together?.[index] ?? (this.options.dryRun ? this.#plan(session) : this.#write(session)));
      this.options.progress.passed(session.messages);
    });
  }

  #take(session: ScannedSession, taken: Outcome): void {
    const { parentId, leftOut = 0, ...outcome } = taken;
    this.#counts[outcome.outcome] += 1;
    this.#messages += outcome.messages;
    this.#leftOut += leftOut;
    const id = outcome.storedAs ?? session.id;
    if (id !== session.id) this.#storedAs.set(session.id, id);
    if (parentId !== undefined) this.#wanted.push({ id, parentId });
    if (outcome.renamed) this.#renamed.push({ sessionId: id, ...outcome.renamed });
    this.options.onItem?.({ line: session.number, sessionId: session.id, ...outcome });
  }

  /** Closes the books. Parents are linked by the caller, when all files of a folder are in. */
  finish(format: ImportFormatName, scan: ScanResult): FileImport {
    return {
      format,
      dryRun: this.options.dryRun,
      found: scan.sessions.length,
      ...this.#counts,
      failed: scan.problemCount,
      messages: this.#messages,
      leftOut: this.#leftOut,
      addedColumns: this.#addedColumns,
      renamed: this.#renamed.slice(0, REPORT_LIST_LIMIT),
      problems: scan.problems,
      wanted: this.#wanted.map(({ id, parentId }) => ({ id, parentId: this.#parentOf(id, parentId) })),
      planned: this.options.planned.ids,
    };
  }

  #write(session: ScannedSession): Outcome {
    return this.store.write(
      "import a session",
      (w): Outcome => {
        this.options.progress.beginTransaction();
        const incoming = this.reader.load(session, w);
        const decision = decide(w, incoming, this.#conflict());
        if (decision.kind === "replace") refuseInUse(w, session.id, this.store.clock.now());
        // Rows are read as they are asked for, and comparing talks has asked for them.
        const fresh = this.options.mode === "merge" ? this.reader.load(session, w) : incoming;
        const children = this.options.progress.follow(fresh.children);
        const { messages, renamed, leftOut = 0 } = apply(w, decision, { ...fresh, children }, this.#policy);
        return { ...outcomeOf(decision, incoming), messages, leftOut, ...(renamed && { renamed }) };
      },
      "transcript",
    );
  }

  /**
   * Sessions that the store does not have, in one transaction and indexed together: every transaction adds a segment to
   * each index, and merging those costs more than making them.
   *
   * @returns Undefined when one is here already.
   */
  #writeNew(sessions: readonly ScannedSession[]): readonly Outcome[] | undefined {
    return this.store.write(
      "import sessions",
      (w) => {
        if (sessions.some(({ id }) => isStored(w, id))) return undefined;
        this.options.progress.beginTransaction();
        let outcomes: Outcome[] = [];
        const count = sessions.reduce((sum, { messages }) => sum + messages, 0);
        insertMessages(w, { count, newSessions: sessions.map(({ id }) => id) }, () => {
          outcomes = sessions.map((session) => this.#insert(w, session));
          return 0;
        });
        return outcomes;
      },
      "transcript",
    );
  }

  #insert(w: Writer, session: ScannedSession): Outcome {
    const incoming = this.reader.load(session, w);
    const elsewhere = isElsewhere(incoming);
    if (elsewhere) return { ...outcomeOf(elsewhere, incoming), messages: 0 };
    const children = this.options.progress.follow(incoming.children);
    const { messages, renamed, leftOut } = insertSession(w, { ...incoming, children }, this.#policy);
    return { ...outcomeOf({ kind: "insert" }, incoming), messages, leftOut, ...(renamed && { renamed }) };
  }

  /** The same without writing. */
  #plan(session: ScannedSession): Outcome {
    return this.store.read((r): Outcome => {
      const incoming = this.reader.load(session, r);
      const decision = decide(r, incoming, this.#conflict());
      const again = this.#planAgain(r, decision, incoming);
      if (again) return again;
      const outcome = outcomeOf(decision, incoming);
      const { title } = incoming.row;
      const inserts = decision.kind === "insert" || decision.kind === "copy" || decision.kind === "branch";
      const renamed = inserts && typeof title === "string" ? this.#planTitle(r, title) : undefined;
      if (inserts) this.options.planned.ids.add(outcome.storedAs ?? session.id);
      if (inserts || decision.kind === "grow") this.reader.planned?.(incoming);
      return { ...outcome, messages: messagesOf(decision, incoming), ...(renamed && { renamed }) };
    });
  }

  /** A transcript of which an earlier file had the beginning: what is new in this one would have been added. */
  #planAgain(r: Reader, decision: Decision, incoming: IncomingSession): Outcome | undefined {
    if (decision.kind !== "skip" || isStored(r, incoming.id)) return undefined;
    if (!this.options.planned.ids.has(incoming.id)) return undefined;
    const messages = this.reader.beyondPlanned?.(incoming) ?? 0;
    if (messages === 0) return undefined;
    this.reader.planned?.(incoming);
    return { ...outcomeOf(decision, incoming), outcome: "grown", messages };
  }

  /** The parent's copy, unless the session is the branch of the very one that is here. */
  #parentOf(id: string, parentId: string): string {
    const copy = this.#storedAs.get(parentId);
    return copy === undefined || copy === id ? parentId : copy;
  }

  #conflict(): Conflict {
    return { mode: this.options.mode, grows: this.reader.grows ?? false, planned: this.options.planned.ids };
  }

  #planTitle(r: Reader, from: string): { from: string; to: string } | undefined {
    const to = freeTitle(r, from, this.options.planned.titles);
    this.options.planned.titles.add(to);
    return to === from ? undefined : { from, to };
  }
}

const OUTCOME: Readonly<Record<Decision["kind"], ImportItem["outcome"]>> = {
  insert: "imported",
  copy: "imported",
  branch: "imported",
  append: "grown",
  grow: "grown",
  replace: "replaced",
  skip: "skipped",
};

function outcomeOf(decision: Decision, incoming: IncomingSession): Omit<Outcome, "messages"> {
  const branch = decision.kind === "branch";
  const { parent_session_id: named } = incoming.row;
  const parentId = branch ? incoming.id : typeof named === "string" && named !== "" ? named : undefined;
  return {
    outcome: OUTCOME[decision.kind],
    ...(parentId !== undefined && { parentId }),
    ...("id" in decision && { storedAs: decision.id }),
    ...("reason" in decision && { reason: decision.reason }),
  };
}

/** How many messages a decision brings in. */
function messagesOf(decision: Decision, incoming: IncomingSession): number {
  if (decision.kind === "skip") return 0;
  if (decision.kind === "append") return incoming.messages - decision.known;
  return decision.kind === "grow" ? decision.growth.added.length : incoming.messages;
}
