import type { SqlValue, Writer } from "@hermes/state-schema";
import { decodeModelConfig, mergeModelConfig } from "../codec/model-config.js";
import type { JsonObject } from "../codec/json-value.js";
import { assertCompressionLease } from "../leases/assert-lease.js";
import { compressionLeaseLost } from "../leases/lease-errors.js";
import { extendLease, readLease } from "../leases/lease-rows.js";
import { FORK_MARKERS } from "../lineage/fork-sql.js";
import { tipOf, walkContinuations } from "../lineage/walk-continuations.js";
import type { EncodedMessage } from "../messages/encode-message.js";
import { insertMessages } from "../messages/insert-messages.js";
import type { EncodedSession } from "../sessions/encode-session.js";
import { AUTOMATIC_END_REASONS, COMPRESSION_END_REASON } from "../sessions/end-reasons.js";
import { insertSession } from "../sessions/save-session.js";
import { compressionClosed, sessionEnded, sessionNotFound } from "../sessions/session-errors.js";
import { assignTitle } from "../titles/assign-title.js";
import { activeAfter, recountActive } from "./active-rows.js";
import { cloneMessages } from "./clone-messages.js";
import { continuationHidden } from "./compaction-errors.js";

const SELECT_PARENT = `
  SELECT source, model_config AS config, ended_at AS endedAt, end_reason AS reason FROM sessions WHERE id = ?`;

/** An end that nobody asked for must not keep a conversation from going on. */
const CLOSE_PARENT = `
  UPDATE sessions SET ended_at = ?, end_reason = 'compression'
  WHERE id = ? AND (ended_at IS NULL OR end_reason IN (SELECT value FROM json_each(?)))`;

/** What the next segment has from the last one unless it was given its own; flags and origin it has as any other. */
const FILLED = ["model", "tool_names", "transport_profile"] as const;

const INHERIT = `
  UPDATE sessions AS child SET
    ${FILLED.map((name) => `${name} = COALESCE(child.${name}, parent.${name})`).join(", ")},
    system_prompt = CASE WHEN child.system_prompt_hash IS NULL THEN parent.system_prompt END,
    system_prompt_hash = COALESCE(child.system_prompt_hash, parent.system_prompt_hash)
  FROM sessions AS parent
  WHERE child.id = ? AND parent.id = ?`;

/** A rotation, checked and encoded. */
export interface RotatePlan {
  readonly parentId: string;
  /** The child as given; without a source it has the parent's. */
  readonly child: Omit<EncodedSession, "source"> & { readonly source: string | undefined };
  readonly title: string | null;
  readonly profile: string | null;
  readonly messages: readonly EncodedMessage[];
  /** The last message that the summary speaks of; null to copy nothing. */
  readonly watermark: number | null;
  /** The last message to copy; undefined for no bound, null to copy nothing. */
  readonly ceiling: number | null | undefined;
  /** What `messages` holds already, though it was stored in the parent after the watermark. */
  readonly ownIds: ReadonlySet<number>;
  readonly holder: string | undefined;
  readonly requireLease: boolean;
  readonly refreshTtlSeconds: number | undefined;
}

/** What a rotation did. */
export interface RotateReceipt {
  /** The session the conversation goes on in. */
  readonly sessionId: string;
  /** How many messages the model sees there. */
  readonly activeCount: number;
  /** How many messages came in after the watermark and follow the hand-off. */
  readonly carriedCount: number;
}

interface ParentRow {
  readonly source: string;
  readonly config: SqlValue;
  readonly endedAt: SqlValue;
  readonly reason: string | null;
}

function claim(w: Writer, plan: RotatePlan, now: number): void {
  const { parentId, holder, requireLease, refreshTtlSeconds } = plan;
  if (refreshTtlSeconds !== undefined && holder !== undefined) {
    const held = extendLease(w, "compression", parentId, holder, now + refreshTtlSeconds);
    if (!held) throw compressionLeaseLost(parentId, holder, readLease(w, "compression", parentId));
  }
  if (requireLease) assertCompressionLease(w, parentId, holder, now);
}

/** Ends the parent by compression; the children made from here on inherit who talks. */
function closeParent(w: Writer, parentId: string, now: number): ParentRow {
  const parent = w.get<ParentRow & object>(SELECT_PARENT, [parentId]);
  if (!parent) throw sessionNotFound(parentId);
  const { changes } = w.run(CLOSE_PARENT, [now, parentId, JSON.stringify([...AUTOMATIC_END_REASONS])]);
  if (changes === 1) return parent;
  if (parent.reason !== COMPRESSION_END_REASON) throw sessionEnded(parentId, parent.reason);
  const tip = tipOf(w, parentId);
  throw compressionClosed(parentId, tip === parentId ? undefined : tip);
}

/** The parent's config goes on in the child; a marker that would make the child a fork of this parent does not. */
function continuedConfig(parentId: string, inherited: SqlValue, given: JsonObject): JsonObject {
  const config = mergeModelConfig(decodeModelConfig(inherited), given);
  const forks = FORK_MARKERS.filter((marker) => config[marker] === parentId);
  return mergeModelConfig(config, Object.fromEntries(forks.map((marker) => [marker, null])));
}

function tailOf(w: Writer, { parentId, watermark, ceiling = Infinity, ownIds }: RotatePlan): number[] {
  if (watermark === null || ceiling === null) return [];
  return activeAfter(w, parentId, watermark).filter((id) => id <= ceiling && !ownIds.has(id));
}

/**
 * Publishes the next segment of a conversation and closes the last one, inside one transaction: readers see the live
 * parent or the whole child (COR-24).
 *
 * @param now - REAL seconds.
 * @throws StateError `STATE_E_COMPRESSION_BUSY`, `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`,
 * `STATE_E_SESSION_ENDED`, `STATE_E_SESSION_EXISTS`, `STATE_E_TITLE_TAKEN`, `STATE_E_CONTINUATION_HIDDEN`.
 */
export function rotateSession(w: Writer, plan: RotatePlan, now: number): RotateReceipt {
  claim(w, plan, now);
  const { parentId, child, title, messages } = plan;
  const tail = tailOf(w, plan);
  const parent = closeParent(w, parentId, now);
  const config = continuedConfig(parentId, parent.config, child.config);
  insertSession(w, { ...child, source: child.source ?? parent.source, config }, plan.profile);
  w.run(INHERIT, [child.id, parentId]);
  if (title !== null) assignTitle(w, child.id, title, "user");
  insertMessages(w, messages);
  cloneMessages(w, child.id, tail);
  const activeCount = recountActive(w, child.id);
  const [, next] = walkContinuations(w, [parentId]).get(parentId) ?? [];
  if (next !== child.id) throw continuationHidden(parentId, child.id, next);
  return { sessionId: child.id, activeCount, carriedCount: tail.length };
}
