export { AsyncSessionDB } from "./async-session-db.js";
export type { AsyncSessionDbOptions } from "./async-session-db.js";
export { SessionDB } from "./session-db.js";
export type { SessionDbOptions } from "./session-db-base.js";
export type { RowSpelling } from "./rows.js";
