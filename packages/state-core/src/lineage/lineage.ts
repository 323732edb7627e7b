import type { Reader } from "@hermes/state-schema";
import { checkKnownOptions } from "../config/check-known-options.js";
import { sessionNotFound } from "../sessions/session-errors.js";
import type { StoreContext } from "../store/context.js";
import { adoptTip } from "./adopt-tip.js";
import { finalizeOrphans } from "./finalize-orphans.js";
import { liveChildren } from "./live-children.js";
import { reopenOrphan } from "./reopen-orphan.js";
import { resumeTargetOf } from "./resume-target.js";
import { segmentsBefore, walkAncestors } from "./walk-ancestors.js";
import { walkContinuations } from "./walk-continuations.js";

const ORPHAN_AGE_SECONDS = 7 * 86_400;

/**
 * How sessions hang together: a conversation goes on in a new session when a compaction rotates it (COR-26). Every
 * walk is cycle-safe and ends after 1,000 hops.
 */
export class Lineage {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * The session a conversation goes on in; the given one when nothing continues it.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  tip(id: string): string {
    return this.#walk(id, (r) => walkContinuations(r, [id]).get(id)?.at(-1));
  }

  /**
   * The top of the tree a session belongs to, through every kind of parent.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  root(id: string): string {
    return this.#walk(id, (r) => walkAncestors(r, id).at(-1)?.id);
  }

  /**
   * All segments of a conversation, root to tip. A branch, delegate, reset or tool session begins its own.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  chain(id: string): readonly string[] {
    const segments = this.#walk(id, (r) => [...segmentsBefore(r, id), ...(walkContinuations(r, [id]).get(id) ?? [])]);
    return [...new Set(segments)];
  }

  /**
   * The session to show when somebody resumes this one: its tip, or the newest unmarked descendant of the tip that has
   * messages.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  resumeTarget(id: string): string {
    return this.#walk(id, (r) => resumeTargetOf(r, id));
  }

  /**
   * The one live session that continues a session which a compaction closed; undefined when there is none, and when
   * there are two, since neither may be taken for the other.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  liveChild(id: string): string | undefined {
    const [child, other] = this.#walk(id, (r) => liveChildren(r, id));
    return other === undefined ? child : undefined;
  }

  /**
   * The session that takes the messages of a session: itself, or the live tip of its conversation when a compaction
   * closed it. Ask once and do not ask again when the answer is refused too: `withAdoption` does just that.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_NO_LIVE_CONTINUATION` with the id of the tip when there is
   * one.
   */
  adopt(id: string): string {
    return this.#context.read((r) => adoptTip(r, id));
  }

  /**
   * Reopens a session that a compaction closed without leaving a continuation (P15); appends do so by themselves.
   *
   * @returns Whether it was reopened: not while something continues it, and not while a compaction holds it.
   */
  reopenOrphan(id: string): boolean {
    const { clock } = this.#context;
    return this.#context.write("reopen an orphan", (w) => reopenOrphan(w, id, clock.now()), "transcript");
  }

  /**
   * Ends, as `orphaned_compression`, the continuations nobody went on with: live, never called the model, silent.
   *
   * @param options - `olderThanSeconds`: how long they have been silent; default seven days.
   * @returns Their ids.
   * @throws RangeError for an impossible age.
   */
  finalizeOrphans(options: { readonly olderThanSeconds?: number } = {}): readonly string[] {
    checkKnownOptions("lineage.finalizeOrphans", options, ["olderThanSeconds"]);
    const { olderThanSeconds = ORPHAN_AGE_SECONDS } = options;
    if (!(Number.isFinite(olderThanSeconds) && olderThanSeconds >= 0)) {
      throw new RangeError(`lineage.finalizeOrphans: olderThanSeconds must be 0 or more, not ${olderThanSeconds}.`);
    }
    const { clock } = this.#context;
    return this.#context.write("end orphans", (w) => finalizeOrphans(w, clock.now() - olderThanSeconds, clock.now()));
  }

  #walk<T>(id: string, walk: (r: Reader) => T | undefined): T {
    return this.#context.read((r) => {
      const known = r.get("SELECT 1 AS known FROM sessions WHERE id = ?", [id]);
      const found = known && walk(r);
      if (found === undefined) throw sessionNotFound(id);
      return found;
    });
  }
}
