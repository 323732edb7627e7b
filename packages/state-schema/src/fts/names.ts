/** One of the derived indexes: `word` and `trigram` are kept here, `cjk` belongs to peers with a native tokenizer. */
export type FtsHalf = "word" | "trigram" | "cjk";

/** Table of an index. */
export const FTS_TABLE: Readonly<Record<FtsHalf, string>> = Object.freeze({
  word: "messages_fts",
  trigram: "messages_fts_trigram",
  cjk: "messages_fts_cjk",
});

/** What the tables of an fts5 index are called behind its name; not every index has all of them. */
export const FTS_SHADOWS: readonly string[] = Object.freeze(["data", "idx", "content", "docsize", "config"]);

/** View an external-content index of the newest shape reads its rows through. */
export const FTS_SOURCE: Readonly<Record<FtsHalf, string>> = Object.freeze({
  word: "messages_fts_src",
  trigram: "messages_fts_trigram_src",
  cjk: "messages_fts_cjk_src",
});

/** Prefix of tables that an upgrade has put aside and is emptying. */
export const FTS_TRASH_PREFIX = "fts_v22_trash_";

/** What a sync trigger reacts to. */
export type FtsEvent = "insert" | "delete" | "update";

const EVENTS: readonly FtsEvent[] = ["insert", "delete", "update"];

/** Name of a sync trigger. */
export function ftsTrigger(half: FtsHalf, event: FtsEvent): string {
  return `${FTS_TABLE[half]}_${event}`;
}

/** Names of the three sync triggers of an index. */
export function ftsTriggers(half: FtsHalf): readonly string[] {
  return EVENTS.map((event) => ftsTrigger(half, event));
}

/** Names of all nine sync triggers. */
export const ALL_FTS_TRIGGERS: readonly string[] = Object.freeze(
  (["word", "trigram", "cjk"] as const).flatMap((half) => [...ftsTriggers(half)]),
);
