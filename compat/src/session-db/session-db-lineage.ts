import { SessionDbTitles } from "./session-db-titles.js";

/** The lineages and compactions of the one-object store. */
export abstract class SessionDbLineage extends SessionDbTitles {}
