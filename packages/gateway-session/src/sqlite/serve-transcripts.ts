import { isStateError } from "@hermes/state-core";
import type { Transcript } from "@hermes/state-core";
import type { SessionStoragePort } from "../port/session-storage-port.js";
import type { AnyStore } from "./any-store.js";

/** The part of the port that is about what was said. */
export type TranscriptStorage = Pick<SessionStoragePort, "append" | "conversation" | "replace" | "rewind">;

/** What is read of a session, or what stands for it where it has no row (yet): nothing was said there. */
async function unlessMissing<T>(read: () => T | Promise<T>, missing: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isStateError(error, "STATE_E_SESSION_NOT_FOUND")) return missing;
    throw error;
  }
}

/** Serves transcripts from a store. */
export function serveTranscripts({ messages }: AnyStore): TranscriptStorage {
  return {
    append: async (sessionId, message, options) => messages.append(sessionId, message, options),
    async conversation(sessionId, options) {
      const nothing: Transcript = { sessionId, sessionIds: [], messages: [], damaged: [] };
      return unlessMissing(() => messages.conversation(sessionId, options), nothing);
    },
    replace: async (sessionId, list, mode) => messages.replace(sessionId, list, mode),
    async rewind(sessionId, turns) {
      const oldest = (await unlessMissing(() => messages.recentUserTurns(sessionId, turns), [])).at(-1);
      return oldest ? await messages.rewindTo(sessionId, oldest.id) : null;
    },
  };
}
