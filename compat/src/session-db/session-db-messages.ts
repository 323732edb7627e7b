import { SessionDbLineage } from "./session-db-lineage.js";

/** The messages of the one-object store: append, rewrite, count. */
export abstract class SessionDbMessages extends SessionDbLineage {}
