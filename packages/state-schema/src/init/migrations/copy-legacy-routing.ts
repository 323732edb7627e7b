import type { Writer } from "../../sql/handles.js";
import type { InitializeOptions } from "../initialize-options.js";
import type { LegacyRoutingEntry } from "../legacy-routing-entry.js";
import { completeMigration } from "./complete-migration.js";
import type { Migration } from "./migration.js";

const COPY = `
  UPDATE sessions SET
    session_key = COALESCE(session_key, ?), chat_id = COALESCE(chat_id, ?), chat_type = COALESCE(chat_type, ?),
    thread_id = COALESCE(thread_id, ?), display_name = COALESCE(display_name, ?),
    origin_json = COALESCE(origin_json, ?), expiry_finalized = MAX(COALESCE(expiry_finalized, 0), ?)
  WHERE id = ?`;

/** Version 18: what only the routing file knew moves to the sessions; no cell that has a value is changed. */
export const COPY_LEGACY_ROUTING: Migration = {
  gate: 18,
  about: "copy peers from the routing file of old gateways",
  run: ({ host, options }) => {
    const entries = loadEntries(options.legacyRouting);
    completeMigration(host, "copy peers of old routing entries", COPY_LEGACY_ROUTING.gate, (w) => {
      for (const entry of entries) copyEntry(w, entry);
    });
    return true;
  },
};

function copyEntry(w: Writer, entry: LegacyRoutingEntry): void {
  const { sessionId, sessionKey, chatId, chatType, threadId, displayName, originJson, expiryFinalized } = entry;
  const cells = [sessionKey, chatId, chatType, threadId, displayName, originJson].map((text) => text ?? null);
  w.run(COPY, [...cells, expiryFinalized === true ? 1 : 0, sessionId]);
}

function loadEntries(load: InitializeOptions["legacyRouting"]): readonly LegacyRoutingEntry[] {
  try {
    return load?.() ?? [];
  } catch {
    // Best effort by definition: an unreadable routing file must not keep the store from opening.
    return [];
  }
}
