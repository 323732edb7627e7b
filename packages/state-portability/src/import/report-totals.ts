import type { StateError, StoreContext } from "@hermes/state-core";
import { REPORT_LIST_LIMIT } from "./import-report.js";
import type { FileImport, ImportReport } from "./import-report.js";
import type { ImportFormatName, ImportProblem } from "./import-reader.js";
import { linkParents } from "./link-parents.js";
import type { WantedLink } from "./plan-links.js";

const COUNTS = ["found", "imported", "grown", "replaced", "skipped", "failed", "messages", "leftOut"] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

/** The books of one import over all its files. */
export class ReportTotals {
  #format: ImportFormatName | undefined;
  #files = 0;
  readonly #counts: Counts = {
    found: 0,
    imported: 0,
    grown: 0,
    replaced: 0,
    skipped: 0,
    failed: 0,
    messages: 0,
    leftOut: 0,
  };
  readonly #addedColumns = new Set<string>();
  readonly #renamed: ImportReport["renamed"][number][] = [];
  readonly #problems: ImportProblem[] = [];
  readonly #wanted: WantedLink[] = [];
  readonly #planned = new Set<string>();

  constructor(
    private readonly store: StoreContext,
    private readonly dryRun: boolean,
  ) {}

  /** @param file - Named with its problems when the source is a folder. */
  add(part: FileImport, file?: string): void {
    this.#format ??= part.format;
    this.#files += 1;
    for (const name of COUNTS) this.#counts[name] += part[name];
    for (const column of part.addedColumns) this.#addedColumns.add(column);
    this.#renamed.push(...part.renamed);
    this.#problems.push(...part.problems.map((problem) => (file === undefined ? problem : { ...problem, file })));
    this.#wanted.push(...part.wanted);
    for (const id of part.planned) this.#planned.add(id);
  }

  /** A file of a folder that was not imported. */
  refuse(file: string, { code, message, facts }: StateError): void {
    this.#files += 1;
    const problems = facts["problems"] as readonly ImportProblem[] | undefined;
    this.#counts.failed += typeof facts["problemCount"] === "number" ? facts["problemCount"] : 1;
    const found = problems ?? [{ line: 1, code, message }];
    this.#problems.push(...found.map((problem) => ({ ...problem, file })));
  }

  /** Links parents, now that every session is in. */
  finish(): ImportReport {
    const links = linkParents(this.store, this.#wanted, this.dryRun ? this.#planned : undefined);
    const detached = [...links.missing, ...links.cyclic];
    return {
      format: this.#format ?? "jsonl",
      dryRun: this.dryRun,
      files: this.#files,
      ...this.#counts,
      detached: detached.length,
      addedColumns: [...this.#addedColumns],
      renamed: this.#renamed.slice(0, REPORT_LIST_LIMIT),
      detachedLinks: detached.slice(0, REPORT_LIST_LIMIT),
      problems: this.#problems.slice(0, REPORT_LIST_LIMIT),
    };
  }
}
