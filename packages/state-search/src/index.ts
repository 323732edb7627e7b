export { searchMessages, type SearchableStore } from "./search-messages.js";
export type { SearchOptions, SearchSort } from "./options/search-options.js";
export type { IncompleteReason, ReadReason, SearchAnswer, SearchRoute } from "./answer/search-answer.js";
export { HIT_FIELDS, type ContextMessage, type HitField, type SearchHit } from "./answer/search-hit.js";

export { parseQuery } from "./language/parse-query.js";
export type { AndNode, OrNode, Query, QueryHint, QueryNode, TermAtom, TermNode } from "./language/query.js";
