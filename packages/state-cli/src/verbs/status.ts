import { realpathSync, statSync } from "node:fs";
import { findHolders } from "@hermes/state-core";
import type { Holder, StateStore, StoreInfo } from "@hermes/state-core";
import { readIndexState } from "@hermes/state-schema";
import type { IndexState } from "@hermes/state-schema";
import { EXIT } from "../errors/exit-code.js";
import { formatBytes } from "../output/format-bytes.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { locateStore } from "../store/locate-store.js";
import { openForReading } from "../store/open-store.js";
import type { Verb } from "../verb.js";

const COUNTS_SQL = "SELECT (SELECT COUNT(1) FROM sessions) AS sessions, (SELECT COUNT(1) FROM messages) AS messages";

interface Counts {
  readonly sessions: number;
  readonly messages: number;
}

function size(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

interface Status {
  readonly path: string;
  readonly exists: boolean;
  readonly sizeBytes: number;
  readonly walBytes: number;
  readonly journalMode: string;
  readonly schemaVersion: number | null;
  readonly staleSchema: boolean;
  readonly sqliteVersion: string;
  readonly capabilities: StoreInfo["capabilities"];
  readonly counts: Counts;
  readonly index: IndexState;
  readonly holders: readonly Holder[];
  readonly holdersComplete: boolean;
}

function describe(store: StateStore, path: string): Status {
  const { capabilities, ...info } = store.info();
  const { counts, index } = store.read((r) => ({
    counts: r.get<Counts>(COUNTS_SQL) ?? { sessions: 0, messages: 0 },
    index: readIndexState(r, capabilities),
  }));
  const { holders, complete } = findHolders(realpathSync(path));
  return {
    path,
    exists: true,
    sizeBytes: size(path),
    walBytes: size(`${path}-wal`),
    journalMode: info.journalMode,
    schemaVersion: info.schemaVersion ?? null,
    staleSchema: info.staleSchema,
    sqliteVersion: info.sqliteVersion,
    capabilities,
    counts,
    index,
    holders,
    holdersComplete: complete,
  };
}

function indexText({ layout, stale, pending, word, trigram }: IndexState): string {
  if (layout === "none") return "none";
  const halves = [word.present && "words", trigram.present && "trigrams"]
    .filter((half) => half !== false)
    .join(" and ");
  const state = stale
    ? "waits to be rebuilt"
    : pending
      ? `filling up (${pending.progress} of ${pending.highWater})`
      : "complete";
  return `layout ${layout}, ${halves}, ${state}`;
}

function holdersText({ holders, holdersComplete }: Status): string {
  const known = holders.length === 0 ? "nobody else" : holders.map(({ pid }) => `process ${pid}`).join(", ");
  return holdersComplete ? known : `${known} (not every process could be looked at)`;
}

function statusText(status: Status): string {
  const age = status.staleSchema ? " (older; upgraded by the first write)" : "";
  const rows: readonly (readonly [string, string])[] = [
    ["store", status.path],
    ["size", `${formatBytes(status.sizeBytes)} + ${formatBytes(status.walBytes)} log`],
    ["journal", status.journalMode],
    ["schema", `version ${status.schemaVersion ?? "unknown"}${age}`],
    ["sqlite", status.sqliteVersion],
    ["sessions", String(status.counts.sessions)],
    ["messages", String(status.counts.messages)],
    ["index", indexText(status.index)],
    ["held by", holdersText(status)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)}${sanitizeLine(value)}`).join("\n");
}

/** Size, journal mode, counts, index state and holders of the store. */
export const status: Verb<object> = async (context) => {
  const { output } = context;
  const { path } = locateStore(context.options);
  using store = openForReading(context);
  if (!store) {
    await writeDocument(
      output,
      { path, exists: false, counts: { sessions: 0, messages: 0 } },
      () => `No store at ${path} yet.`,
    );
    return EXIT.done;
  }
  const document = describe(store, path);
  await writeDocument(output, document, () => statusText(document));
  return EXIT.done;
};
