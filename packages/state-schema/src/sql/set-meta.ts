import type { Writer } from "./handles.js";

const UPSERT = `
  INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
const INSERT_ONCE = "INSERT OR IGNORE INTO state_meta (key, value) VALUES (?, ?)";
const DELETE = "DELETE FROM state_meta WHERE key = ?";

/** Sets a key of `state_meta`. */
export function setMeta(w: Writer, key: string, value: string): void {
  w.run(UPSERT, [key, value]);
}

/** Sets a key of `state_meta` unless it is there. */
export function setMetaOnce(w: Writer, key: string, value: string): void {
  w.run(INSERT_ONCE, [key, value]);
}

/** Removes keys of `state_meta`. */
export function deleteMeta(w: Writer, ...keys: readonly string[]): void {
  for (const key of keys) w.run(DELETE, [key]);
}
