import { realpathSync, statSync } from "node:fs";
import { findHolders } from "@hermes/state-core";
import type { Holder } from "@hermes/state-core";
import type { StoreStats } from "@hermes/state-repair";
import { EXIT } from "../errors/exit-code.js";
import { formatBytes } from "../output/format-bytes.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { locateStore } from "../store/locate-store.js";
import { isAbsent, openForReading } from "../store/open-store.js";
import type { Verb, VerbContext } from "../verb.js";

/** Every fact on its own: null where it cannot be read. */
interface Status extends Omit<StoreStats, "schemaCurrent"> {
  readonly sizeBytes: number;
  readonly walBytes: number | null;
  readonly staleSchema: boolean;
  readonly counts: { readonly sessions: number | null; readonly messages: number | null };
  readonly holders: readonly Holder[];
  readonly holdersComplete: boolean;
}

async function describe(path: string): Promise<Status> {
  const { collectStats } = await import("@hermes/state-repair");
  const { schemaCurrent, ...stats } = await collectStats(path);
  const { holders, complete } = findHolders(realpathSync(path));
  return {
    ...stats,
    sizeBytes: statSync(path).size,
    walBytes: stats.walSizeBytes,
    staleSchema: schemaCurrent === false,
    counts: { sessions: stats.sessions, messages: stats.messages },
    holders,
    holdersComplete: complete,
  };
}

const known = (value: number | string | null): string => (value === null ? "unknown" : String(value));

function indexText(index: StoreStats["index"]): string {
  if (index === null) return "unknown";
  const { layout, stale, pending, word, trigram } = index;
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
  const open = holders.length === 0 ? "nobody else" : holders.map(({ pid }) => `process ${pid}`).join(", ");
  return holdersComplete ? open : `${open} (not every process could be looked at)`;
}

function sizeText({ logicalSizeBytes, sizeBytes, walSizeBytes, freelistCount, pageCount }: Status): string {
  const pages = pageCount === null ? "" : `, ${known(freelistCount)} of ${pageCount} pages free`;
  return `${formatBytes(logicalSizeBytes ?? sizeBytes)} + ${formatBytes(walSizeBytes ?? 0)} log${pages}`;
}

function statusText(status: Status): string {
  const age = status.staleSchema ? " (older; upgraded by the first write)" : "";
  const rows: readonly (readonly [string, string])[] = [
    ["store", status.path],
    ["size", sizeText(status)],
    ["journal", known(status.journalMode)],
    ["schema", `version ${known(status.schemaVersion)}${age}`],
    ["sqlite", known(status.sqliteVersion)],
    ["sessions", known(status.sessions)],
    ["messages", known(status.messages)],
    ["index", indexText(status.index)],
    ["held by", holdersText(status)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)}${sanitizeLine(value)}`).join("\n");
}

/** A file of which nothing can be read says why in the words of an open. */
function refuseUnreadable(context: VerbContext): void {
  openForReading(context)?.close();
}

/** Where the store is, its size, journal mode, counts, index state and holders; nothing is changed or created. */
export const status: Verb<object> = async (context) => {
  const { output } = context;
  const { path, named } = locateStore(context.options);
  if (isAbsent(path)) {
    if (named) refuseUnreadable(context);
    const document = { path, exists: false, counts: { sessions: 0, messages: 0 } };
    await writeDocument(output, document, () => `No store at ${path} yet.`);
    return EXIT.done;
  }
  const document = await describe(path);
  if (document.pageCount === null) refuseUnreadable(context);
  await writeDocument(output, document, () => statusText(document));
  return EXIT.done;
};
