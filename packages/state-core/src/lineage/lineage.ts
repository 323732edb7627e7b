import type { Reader } from "@hermes/state-schema";
import { sessionNotFound } from "../sessions/session-errors.js";
import type { StoreContext } from "../store/context.js";
import { resumeTargetOf } from "./resume-target.js";
import { segmentsBefore, walkAncestors } from "./walk-ancestors.js";
import { walkContinuations } from "./walk-continuations.js";

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
    return this.#walk(id, (r) => [...segmentsBefore(r, id), ...(walkContinuations(r, [id]).get(id) ?? []).slice(1)]);
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

  #walk<T>(id: string, walk: (r: Reader) => T | undefined): T {
    return this.#context.read((r) => {
      const known = r.get("SELECT 1 AS known FROM sessions WHERE id = ?", [id]);
      const found = known && walk(r);
      if (found === undefined) throw sessionNotFound(id);
      return found;
    });
  }
}
