import { SessionDbMessages } from "./session-db-messages.js";

/** The reads of messages of the one-object store. */
export abstract class SessionDbTranscripts extends SessionDbMessages {}
