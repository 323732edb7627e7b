import { checkText } from "../codec/check-text.js";
import { isJsonObject } from "../codec/json-object.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { StoreContext } from "../store/context.js";
import { encodeSession } from "../sessions/encode-session.js";
import { profileOfPath } from "../sessions/profile-of-path.js";
import { sanitizeTitle } from "../titles/sanitize-title.js";
import type { SessionPlan } from "./begin-session.js";
import { checkFlags } from "./check-flags.js";
import { checkPeer } from "./peer-address.js";
import type { RouteTransition } from "./route-transition.js";

const WHAT = "routing.transition";

const KEYS: readonly (keyof RouteTransition)[] = [
  "scope",
  "sessionKey",
  "expectedSessionId",
  "entry",
  "replacesKey",
  "leave",
  "create",
  "flags",
  "reopen",
  "recover",
  "peer",
];

/** A step, checked and encoded. */
export interface TransitionPlan {
  readonly step: RouteTransition;
  readonly begin: SessionPlan | undefined;
  /** REAL seconds. */
  readonly now: number;
}

function optionalText(name: string, value: unknown): void {
  if (value !== undefined) checkText(`${WHAT}: ${name}`, value);
}

function checkStep(step: RouteTransition): void {
  checkKnownOptions(WHAT, step, KEYS);
  const { scope, sessionKey, entry, expectedSessionId, leave, peer } = step;
  if (typeof scope !== "string") throw new TypeError(`${WHAT}: scope must be a string, not ${typeof scope}.`);
  checkText(`${WHAT}: the key`, sessionKey);
  if (entry !== null && !isJsonObject(entry)) throw new TypeError(`${WHAT}: the entry must be an object or null.`);
  if (expectedSessionId !== null) optionalText("expectedSessionId", expectedSessionId);
  optionalText("replacesKey", step.replacesKey);
  optionalText("reopen", step.reopen);
  optionalText("recover", step.recover);
  if (leave) {
    checkKnownOptions(`${WHAT}: leave`, leave, ["sessionId", "reason"]);
    checkText(`${WHAT}: leave.sessionId`, leave.sessionId);
    checkText(`${WHAT}: leave.reason`, leave.reason);
  }
  if (peer) {
    checkKnownOptions(`${WHAT}: peer`, peer, ["sessionId", "record", "includeAncestors"]);
    checkText(`${WHAT}: peer.sessionId`, peer.sessionId);
    checkPeer(`${WHAT}: peer.record`, peer.record, ["source", "sessionKey"], ["displayName", "originJson"]);
  }
}

/**
 * Checks and encodes a step of a route, before its transaction begins.
 *
 * @throws TypeError for an unknown key or a wrong type. StateError `STATE_E_BAD_TIMESTAMP`, `STATE_E_TITLE_TOO_LONG`.
 */
export function planTransition({ clock, path }: StoreContext, step: RouteTransition): TransitionPlan {
  checkStep(step);
  const flags = checkFlags(WHAT, step.flags);
  const now = clock.now();
  if (!step.create) return { step, begin: undefined, now };
  const { id } = step.create;
  checkText(`${WHAT}: create.id`, id);
  const session = encodeSession(step.create, () => id, now);
  const title = session.title === undefined ? null : sanitizeTitle(session.title);
  return { step, begin: { session, title, flags, profile: profileOfPath(path) }, now };
}
