export { FTS_CJK_STALE_KEY } from "./fts-cjk-stale-key.js";
export { MAX_FTS5_QUERY_CHARS } from "./max-fts5-query-chars.js";
export { SCHEMA_SQL } from "./schema-sql.js";
