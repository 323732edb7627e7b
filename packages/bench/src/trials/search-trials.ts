import Database from "better-sqlite3";
import { likeEscape, openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { catchUpSideIndex, searchMessages } from "@hermes/state-search";
import type { SearchCorpus } from "../corpus/search-corpus.js";
import { runLatency } from "../measure/latency.js";
import type { LatencyResult, LatencyTrial } from "../measure/latency.js";

const LIMIT = 20;

const VISIBLE = "(m.active = 1 OR m.compacted = 1)";
const HIT = "m.id, m.session_id, m.role, m.timestamp, m.tool_name, s.source, s.model, s.started_at";

const SHOWN = `
  SELECT ${HIT}, snippet(messages_fts, 0, '>>>', '<<<', '...', 40)
  FROM messages_fts JOIN messages AS m ON m.id = messages_fts.rowid JOIN sessions AS s ON s.id = m.session_id
  WHERE messages_fts MATCH ? AND ${VISIBLE}`;

/**
 * What the engine itself needs for a page: match, rank, snippet, join. Ranked apart from what is shown, which takes
 * less than half of the time of `ORDER BY rank LIMIT` over the join.
 */
const MATCH_FLOOR = `${SHOWN} AND messages_fts.rowid IN (
    SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY bm25(messages_fts), rowid LIMIT ${LIMIT})`;

const NEWEST_FLOOR = `${SHOWN} ORDER BY messages_fts.rowid DESC LIMIT ${LIMIT}`;

/** How the same rows are found without an index that knows them. */
const LIKE_FLOOR = `
  SELECT ${HIT}, substr(m.content, max(1, instr(m.content, ?) - 40), 120)
  FROM messages AS m JOIN sessions AS s ON s.id = m.session_id
  WHERE (m.content LIKE ? ESCAPE '\\' OR m.tool_name LIKE ? ESCAPE '\\' OR m.tool_calls LIKE ? ESCAPE '\\')
    AND ${VISIBLE} ORDER BY m.timestamp DESC LIMIT ${LIMIT}`;

const COMMON = ["the", "error", "deploy", "step", "failed", "server", "retry", "file", "test", "build"];
const RARE = ["bakori", "zelzel", "pexotna"].flatMap((word) => [word, `${word}ten`]);
const ABSENT = ["quetzalcoatl", "xylophone absent", "zyzzyva*", '"no such phrase"'];

type Search = (question: string) => void;

function trialsOf(corpus: SearchCorpus, store: StateStore, raw: Database.Database): LatencyTrial[] {
  const match = raw.prepare(MATCH_FLOOR);
  const newest = raw.prepare(NEWEST_FLOOR);
  const like = raw.prepare(LIKE_FLOOR);
  const byMatch: Search = (text) => void match.all(text, text);
  const byLike: Search = (text) => {
    const pattern = `%${likeEscape(text)}%`;
    like.all(text, pattern, pattern, pattern);
  };
  const search: Search = (text) => void searchMessages(store, text, { limit: LIMIT });
  const named = (what: string): string => `${what}, ${corpus.name}`;
  return [
    { name: named("common word"), floorName: "MATCH", questions: COMMON, goal: 1.3, store: search, floor: byMatch },
    { name: named("rare word"), floorName: "MATCH", questions: RARE, store: search, floor: byMatch },
    { name: named("no hit"), floorName: "MATCH", questions: ABSENT, store: search, floor: byMatch },
    {
      name: named("two characters"),
      floorName: "LIKE",
      questions: corpus.twoCharacters,
      goal: 0.2,
      store: search,
      floor: byLike,
    },
    {
      name: named("common word, newest"),
      floorName: "MATCH by id",
      questions: COMMON,
      store: (text) => void searchMessages(store, text, { limit: LIMIT, sort: "newest" }),
      floor: (text) => void newest.all(text),
    },
  ];
}

/**
 * Searches on 100,000 messages: each question is measured by itself, the store's answer and the engine's floor in turn
 * on the same file.
 *
 * @param wanted - Which trials to run, by name.
 */
export function runSearchTrials(
  corpus: SearchCorpus,
  rounds: number,
  wanted: (name: string) => boolean,
): readonly LatencyResult[] {
  if (!["common word", "rare word", "no hit", "two characters"].some((what) => wanted(`${what}, ${corpus.name}`))) {
    return [];
  }
  using store = openStateStore({ path: corpus.path });
  catchUpSideIndex(store);
  const raw = new Database(store.path, { readonly: true });
  try {
    return trialsOf(corpus, store, raw)
      .filter(({ name }) => wanted(name))
      .map((trial) => runLatency(trial, rounds));
  } finally {
    raw.close();
  }
}
