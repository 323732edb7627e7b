import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { checkTtl } from "../leases/check-ttl.js";
import { encodeSession } from "../sessions/encode-session.js";
import { profileOfPath } from "../sessions/profile-of-path.js";
import { newSessionId } from "../sessions/session-id.js";
import type { StoreContext } from "../store/context.js";
import { sanitizeTitle } from "../titles/sanitize-title.js";
import { checkBound, encodeHandoff } from "./check-compaction.js";
import { ROTATE_OPTIONS } from "./compaction-options.js";
import type { RotateOptions, RotationChild } from "./compaction-options.js";
import type { RotatePlan } from "./rotate-session.js";

/** Stands in until the transaction knows the parent's. */
const ANY_SOURCE = "unknown";

function checkBounds(options: RotateOptions): ReadonlySet<number> {
  const { watermark, ceiling, ownIds = [] } = options;
  checkBound("compaction.rotate: watermark", watermark);
  if (ceiling !== undefined) checkBound("compaction.rotate: ceiling", ceiling);
  if (!Array.isArray(ownIds) || !ownIds.every(Number.isSafeInteger)) {
    throw new TypeError("compaction.rotate: ownIds must be a list of message ids.");
  }
  return new Set(ownIds);
}

function checkClaim(options: RotateOptions): boolean {
  const { holder, requireLease = true, refreshTtlSeconds } = options;
  if (holder !== undefined) checkText("compaction.rotate: holder", holder);
  if (refreshTtlSeconds !== undefined) checkTtl("compaction.rotate: refreshTtlSeconds", refreshTtlSeconds);
  if (holder === undefined && (requireLease || refreshTtlSeconds !== undefined)) {
    throw new TypeError("compaction.rotate: holder is missing. Name the lease's holder, or set requireLease: false.");
  }
  return requireLease;
}

/**
 * Checks what a rotation is asked to do, and encodes the child and its messages before the transaction begins.
 *
 * @throws TypeError or RangeError for an impossible option. StateError `STATE_E_BAD_TIMESTAMP`,
 * `STATE_E_TITLE_TOO_LONG`.
 */
export function planRotation(
  { clock, random, path }: Pick<StoreContext, "clock" | "random" | "path">,
  parentId: string,
  child: RotationChild,
  options: RotateOptions,
): RotatePlan {
  checkText("compaction.rotate: the parent's id", parentId);
  checkKnownOptions("compaction.rotate", options, ROTATE_OPTIONS);
  const ownIds = checkBounds(options);
  const requireLease = checkClaim(options);
  if ("parentSessionId" in child) {
    throw new TypeError("compaction.rotate: leave parentSessionId out; the parent is the session that is rotated.");
  }
  const now = clock.now();
  const fields = { ...child, source: child.source ?? ANY_SOURCE, parentSessionId: parentId };
  const session = encodeSession(fields, () => newSessionId(clock, random), now);
  return {
    parentId,
    child: { ...session, source: child.source },
    title: session.title === undefined ? null : sanitizeTitle(session.title),
    profile: profileOfPath(path),
    messages: encodeHandoff("compaction.rotate", session.id, options.messages, now),
    watermark: options.watermark,
    ceiling: options.ceiling,
    ownIds,
    holder: options.holder,
    requireLease,
    refreshTtlSeconds: options.refreshTtlSeconds,
  };
}
