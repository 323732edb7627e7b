import { ofSession } from "./of-session.js";
import { SessionDbTitles } from "./session-db-titles.js";

/** The lineages of the one-object store: an unknown id is what a walk began with, and no error. */
export abstract class SessionDbLineage extends SessionDbTitles {
  /** The session a conversation goes on in; the given one when nothing continues it. */
  getCompressionTip(sessionId: string): string {
    return ofSession(() => this.store.lineage.tip(sessionId), sessionId);
  }

  /** All segments of a conversation, root to tip. */
  getCompressionLineage(sessionId: string): string[] {
    return [...ofSession(() => this.store.lineage.chain(sessionId), [sessionId])];
  }

  /** The top of the tree a session belongs to, through every kind of parent. */
  getConversationRoot(sessionId: string): string {
    return ofSession(() => this.store.lineage.root(sessionId), sessionId);
  }

  /** The session to show when somebody resumes this one: where its conversation has messages. */
  resolveResumeSessionId(sessionId: string): string {
    return ofSession(() => this.store.lineage.resumeTarget(sessionId), sessionId);
  }

  /** The one live session that continues one which a compaction closed; null for none, and for several. */
  findLiveCompressionChild(parentSessionId: string): string | null {
    return ofSession(() => this.store.lineage.liveChild(parentSessionId), undefined) ?? null;
  }

  /** Reopens a session that a compaction closed without leaving a continuation. @returns Whether it did. */
  reopenOrphanedCompressionSession(sessionId: string): boolean {
    return this.store.lineage.reopenOrphan(sessionId);
  }

  /** Ends the continuations that nobody went on with for seven days. @returns How many. */
  finalizeOrphanedCompressionSessions(): number {
    return this.store.lineage.finalizeOrphans().length;
  }
}
