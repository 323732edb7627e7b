import type { JsonObject } from "../codec/json-value.js";
import type { SessionFlag } from "../sessions/flags/set-flag.js";
import type { SessionFields } from "../sessions/session-fields.js";
import type { PeerRecord } from "./peer-address.js";
import type { RoutingRow } from "./routing-rows.js";

/** One step of a route, with all that it means for the sessions it leaves and leads to. */
export interface RouteTransition {
  readonly scope: string;
  readonly sessionKey: string;
  /**
   * Which session the stored entry must name for the step to be taken; null: there must be no readable entry. Absent:
   * whatever is stored.
   */
  readonly expectedSessionId?: string | null;
  /** The entry to store; null deletes the route. */
  readonly entry: JsonObject | null;
  /** An older spelling of the key: its entry is deleted by the same step, its generations go on under the new key. */
  readonly replacesKey?: string;
  /**
   * A session that is left: its last segment is ended with the reason where it is live, and restamped where an accident
   * ended it and the reason is a deliberate one (COR-20).
   */
  readonly leave?: { readonly sessionId: string; readonly reason: string };
  /**
   * A row to make; one that exists is completed as `sessions.ensure` does. A parent that does not exist is left out; a
   * parent that does is marked as one the session began anew from, since only a compaction makes continuations.
   */
  readonly create?: SessionFields & { readonly id: string };
  /** Set on the created row only. */
  readonly flags?: Partial<Readonly<Record<SessionFlag, boolean>>>;
  /** A session that goes on although it had ended, however it did. */
  readonly reopen?: string;
  /**
   * A session that goes on because an accident ended it; when it was left on purpose meanwhile, the step is not taken
   * (P18).
   */
  readonly recover?: string;
  /** Who talks in a session from now on. */
  readonly peer?: { readonly sessionId: string; readonly record: PeerRecord; readonly includeAncestors?: boolean };
}

/** What became of a step. */
export interface RouteTransitionReceipt {
  /** False when the stored entry names another session than expected, or `recover` forbids it: nothing was changed. */
  readonly applied: boolean;
  /** The entry as it stands after the step, or as it stands in its way. */
  readonly stored: RoutingRow | undefined;
  /** Whether the row of `create` was made by this step. */
  readonly created: boolean;
  /** How the title of `create` was changed to be free, where it was; null otherwise. */
  readonly titleGiven: string | null;
}
