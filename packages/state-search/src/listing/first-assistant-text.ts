import { CONTENT_PREFIX } from "@hermes/state-core";
import type { SqlValue } from "@hermes/state-schema";
import { visibleSql } from "../routes/filter-sql.js";
import type { ListingStore } from "./listing-store.js";

const SELECT_FIRST = `
  SELECT m.content AS content FROM messages AS m
  WHERE m.session_id = ? AND m.role = 'assistant' AND m.content <> '' AND ${visibleSql(false)}
  ORDER BY m.id LIMIT 1`;

/**
 * The first thing the assistant said in a session; empty when it said nothing, or something other than text (SEA-16).
 */
export function firstAssistantText(store: ListingStore, sessionId: string): string {
  const content = store.read((r) => r.get<{ content: SqlValue }>(SELECT_FIRST, [sessionId]))?.content;
  return typeof content === "string" && !content.startsWith(CONTENT_PREFIX) ? content : "";
}
