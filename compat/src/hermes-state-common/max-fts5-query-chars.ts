/** Characters of a query that are looked at; the rest is cut off, and the answer says so. */
export const MAX_FTS5_QUERY_CHARS = 2048;
