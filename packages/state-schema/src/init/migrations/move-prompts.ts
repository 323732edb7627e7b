import { createHash } from "node:crypto";
import type { SchemaHost } from "../../sql/handles.js";
import { stampVersion } from "../stamp-version.js";
import { isBehind } from "./complete-migration.js";
import type { Migration } from "./migration.js";

/** Sessions per transaction: a writer beside it waits a moment, not minutes. */
const CHUNK = 200;

/** The bytes are hashed as stored; a driver would repair broken text on its way out. */
const NEXT = `
  SELECT rowid AS row, CAST(system_prompt AS BLOB) AS bytes FROM sessions
  WHERE rowid > ? AND typeof(system_prompt) = 'text' AND system_prompt_hash IS NULL
  ORDER BY rowid LIMIT ${CHUNK}`;
const STORE = `
  INSERT OR IGNORE INTO system_prompts (hash, prompt) SELECT ?, system_prompt FROM sessions WHERE rowid = ?`;
const POINT = "UPDATE sessions SET system_prompt_hash = ?, system_prompt = NULL WHERE rowid = ?";

/** Version 25: inline system prompts move to `system_prompts`, in chunks, and the inline cell becomes NULL. */
export const MOVE_PROMPTS: Migration = {
  gate: 25,
  about: "move inline system prompts to their own table",
  run: ({ host }) => {
    let after: number | undefined = Number.MIN_SAFE_INTEGER;
    while (after !== undefined) after = moveChunk(host, after);
    return true;
  },
};

function moveChunk(host: SchemaHost, after: number): number | undefined {
  return host.transaction("move system prompts", (w) => {
    if (!isBehind(w, MOVE_PROMPTS.gate)) return undefined;
    const rows = w.all<{ row: number; bytes: Uint8Array }>(NEXT, [after]);
    for (const { row, bytes } of rows) {
      const hash = createHash("sha256").update(bytes).digest("hex");
      w.run(STORE, [hash, row]);
      w.run(POINT, [hash, row]);
    }
    const last = rows.at(-1)?.row;
    if (rows.length === CHUNK && last !== undefined) return last;
    stampVersion(w, MOVE_PROMPTS.gate);
    return undefined;
  });
}
