import type { JsonObject, JsonValue } from "@hermes/state-core";
import { importInto, PEER_IMPORT_LIMITS, readPeerSession } from "@hermes/state-portability";
import type { ImportItem } from "@hermes/state-portability";
import { doneImport, failedImport, refusedImport, toLines } from "./import-result.js";
import type { ImportResult } from "./import-result.js";
import { ofSession } from "./of-session.js";
import { oneArgument } from "./one-argument.js";
import type { Alone } from "./one-argument.js";
import { SessionDbSearch } from "./session-db-search.js";

const MOST_SESSIONS = 100_000;

async function* bytesOf(lines: readonly string[]): AsyncGenerator<Uint8Array, void> {
  for (const line of lines) yield await Promise.resolve(Buffer.from(line, "utf8"));
}

/**
 * Exports and imports of the one-object store. What is exported is spelled as the file is, whatever the spelling of
 * rows, so that every program reads it; `exportStore` writes any number of sessions without holding them in memory.
 */
export abstract class SessionDbPortability extends SessionDbSearch {
  /**
   * A session with its active messages; null for an unknown one.
   *
   * @throws StateError `STATE_E_EXPORT_TOO_LARGE`.
   */
  exportSession(sessionId: string): JsonObject | null {
    this.store.settleUsage("read");
    ofSession(() => this.store.messages.guardSize(sessionId, "export"), 0);
    return readPeerSession(this.store, sessionId) ?? null;
  }

  /** A whole conversation: the last segment with all segments below it, and the messages of all of them. */
  exportSessionLineage(sessionId: string): JsonObject | null {
    const ids = ofSession(() => this.store.lineage.chain(sessionId), []);
    const segments = ids.map((id) => this.exportSession(id)).filter((segment) => segment !== null);
    const tip = segments.at(-1);
    if (!tip) return null;
    const messages = segments.flatMap((segment) => segment["messages"] as readonly JsonValue[]);
    const count = segments.reduce((sum, segment) => sum + Number(segment["message_count"] ?? 0), 0);
    const lineage = segments.map((segment) => segment["id"] as string);
    return { ...tip, segments, lineage_session_ids: lineage, message_count: count, messages };
  }

  /** Every session, archived and hidden ones too, the newest start first. @param source - Only of this one. */
  exportAll(source?: Alone<"source", string | null> | null): JsonObject[] {
    const only = oneArgument("SessionDB.exportAll", "source", source);
    const filter = { includeChildren: true, archived: "include", hidden: "include", projectTips: false } as const;
    const exported: JsonObject[] = [];
    for (const { id } of this.store.sessions.iterate(only ? { ...filter, source: only } : filter)) {
      const session = this.exportSession(id);
      if (session) exported.push(session);
      if (exported.length >= MOST_SESSIONS) break;
    }
    return exported;
  }

  /**
   * Takes in sessions as {@link SessionDbPortability.exportSession} returns them, or lines of the old program's file. A
   * session whose id is here stays as it is; a title that is taken is numbered.
   *
   * @returns A promise, since the work rests between sessions. With any error nothing is imported.
   * @throws TypeError where it is no list, RangeError for more than 500.
   */
  async importSessions(sessions: readonly unknown[]): Promise<ImportResult> {
    const what = "SessionDB.importSessions";
    if (!Array.isArray(sessions)) throw new TypeError(`${what} takes a list of sessions, not ${typeof sessions}.`);
    if (sessions.length > PEER_IMPORT_LIMITS.maxSessions) {
      throw new RangeError(
        `${what} takes ${PEER_IMPORT_LIMITS.maxSessions} sessions at a time, not ${sessions.length}.`,
      );
    }
    return this.#spelled(await this.#import(sessions));
  }

  async #import(sessions: readonly unknown[]): Promise<ImportResult> {
    const { lines, errors } = toLines(sessions);
    if (errors.length > 0) return failedImport(errors);
    if (lines.length === 0) return { ...failedImport([]), ok: true };
    const items: ImportItem[] = [];
    try {
      const onItem = (item: ImportItem): void => void items.push(item);
      return doneImport(await importInto(this.store, bytesOf(lines), { from: "peer", onItem }), items);
    } catch (error) {
      return refusedImport(error);
    }
  }

  #spelled(result: ImportResult): ImportResult {
    return this.row({ ...result, errors: this.rows(result.errors) });
  }
}
