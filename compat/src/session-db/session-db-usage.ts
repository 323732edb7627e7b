import { SessionDbTranscripts } from "./session-db-transcripts.js";

/** The usage and the settings of the one-object store. */
export abstract class SessionDbUsage extends SessionDbTranscripts {}
