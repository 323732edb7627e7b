export type { Reader, RunResult, SchemaHost, SqlRow, SqlValue, Writer } from "./sql/handles.js";
export type { FtsLayout, IndexHalf, IndexState, PendingBackfill } from "./fts/index-state.js";
