import { openStateStore } from "@hermes/state-core";
import { buildOldStore } from "@hermes/testkit";
import { pauseBackfill } from "./index-states.js";

/** Gives the rows of a built store varied words of several scripts, by the triggers of the file's own age. */
const WORDS = `
  UPDATE messages SET content = 'plum' || (id % 71) || ' pear' || (id % 37) || ' cherry' || (id / 100)
    || CASE WHEN id % 9 = 0 THEN ' ' || substr('漓江山水甲天下桂林广西大别山项目的进展数据库连接池', 1 + id % 20, 4) ELSE '' END
  WHERE role IN ('user', 'assistant') AND content <> ''`;
const STRUCTURED = `
  UPDATE messages SET content = char(0) || 'json:[{"type": "text", "text": "tangelo' || (id % 7) || ' 数据库"}]'
  WHERE id % 60 = 1`;
const TOOL = "UPDATE messages SET content = 'quokka' || (id % 53) WHERE role = 'tool'";
const LONG = `
  UPDATE messages SET content = content || ' ' || replace(hex(zeroblob(6000)), '00', '- ') || 'zebra' WHERE id % 400 = 3`;

/** Writes a store of layout 0 as an old peer left it, and closes it. */
export function buildLegacyFile(path: string, rows: number, journal: "wal" | "delete" = "wal"): string {
  return buildOldStore(path, 22, {
    journal,
    sessions: 2,
    messages: rows / 2,
    extra: [WORDS, STRUCTURED, TOOL, LONG],
  });
}

/** Brings the rows of such a store to the newest layout; `progress` of them are indexed, undefined is all. */
export function makePending(path: string, progress: number): void {
  using store = openStateStore({ path });
  pauseBackfill(store, progress);
}
