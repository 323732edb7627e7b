import { checkKnownOptions, isStateError } from "@hermes/state-core";
import type { CompactionHealth, JsonObject, RotationChild } from "@hermes/state-core";
import { modelConfig } from "./model-config.js";
import { newMessages } from "./new-message.js";
import type { MessageInput } from "./new-message.js";
import { ofSession } from "./of-session.js";
import { oneArgument } from "./one-argument.js";
import type { Alone } from "./one-argument.js";
import { ifSessionExists } from "./quiet.js";
import { SessionDbLineage } from "./session-db-lineage.js";

/** How long a compression lock lasts unless it is refreshed, in seconds. */
const LOCK_SECONDS = 300;

/** The next segment of a conversation, and what it begins with. */
export interface CompressionChild {
  readonly parentSessionId: string;
  readonly childSessionId: string;
  readonly source: string;
  /** At least one. */
  readonly messages: readonly MessageInput[];
  readonly model?: string | null;
  /** Default: the parent's. */
  readonly modelConfig?: JsonObject | string | null;
  readonly systemPrompt?: string | null;
  readonly cwd?: string | null;
  readonly profileName?: string | null;
  readonly compressionLockHolder?: string | null;
  /** Default true. */
  readonly requireCompressionLease?: boolean;
}

const CHILD_KEYS: readonly (keyof CompressionChild)[] = [
  "parentSessionId",
  "childSessionId",
  "source",
  "messages",
  "model",
  "modelConfig",
  "systemPrompt",
  "cwd",
  "profileName",
  "compressionLockHolder",
  "requireCompressionLease",
];

/** A compaction that failed: no other before `cooldownUntil`, in REAL seconds. */
export interface CompressionCooldown {
  readonly cooldownUntil: number;
  readonly error: string | null;
}

/** What the file holds about failed compactions of a session. */
export interface CompressionCooldownRow {
  readonly cooldownUntil: number | null;
  readonly error: string | null;
}

/** The same in either spelling. */
export type CooldownSnapshot =
  CompressionCooldownRow | { readonly cooldown_until: number | null; readonly error: string | null };

function momentIn(snapshot: CooldownSnapshot | null | undefined): number | null {
  if (
    typeof snapshot !== "object" ||
    snapshot === null ||
    !("cooldown_until" in snapshot || "cooldownUntil" in snapshot)
  ) {
    throw new TypeError("SessionDB.restoreCompressionFailureCooldownRow takes what the getter of the row gave.");
  }
  return "cooldown_until" in snapshot ? snapshot.cooldown_until : snapshot.cooldownUntil;
}

/** The compactions of the one-object store. */
export abstract class SessionDbCompaction extends SessionDbLineage {
  /**
   * Makes the next segment of a conversation and closes its parent, at once. What others append to the parent meanwhile
   * stays there: `store.compaction.rotate` with a watermark takes it along.
   *
   * @returns The id of the child.
   * @throws What `store.compaction.rotate` throws: `STATE_E_COMPRESSION_BUSY` for a lost lease, ...
   */
  publishCompressionChild(child: CompressionChild = {} as CompressionChild): string {
    const what = "SessionDB.publishCompressionChild";
    checkKnownOptions(what, child, CHILD_KEYS);
    const { parentSessionId, childSessionId, source, messages, compressionLockHolder, requireCompressionLease } = child;
    const { model, modelConfig: config, systemPrompt, cwd, profileName } = child;
    const given = { model, modelConfig: config && modelConfig(what, config), systemPrompt, cwd, profileName };
    const fields = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
    const next: RotationChild = { ...Object.fromEntries(fields), id: childSessionId, source };
    const receipt = this.store.compaction.rotate(parentSessionId, next, {
      messages: newMessages(what, messages),
      watermark: null,
      ...(compressionLockHolder && { holder: compressionLockHolder }),
      ...(requireCompressionLease !== undefined && { requireLease: requireCompressionLease }),
    });
    return receipt.sessionId;
  }

  /** Records a failed compaction; of two deadlines the later one stands. @param cooldownUntil - REAL seconds. */
  recordCompressionFailureCooldown(
    sessionId: string,
    cooldownUntil: number,
    error?: Alone<"error", string | null> | null,
  ): void {
    const reason = oneArgument("SessionDB.recordCompressionFailureCooldown", "error", error);
    const failure = { untilSeconds: cooldownUntil, failure: reason || "unknown" };
    ifSessionExists(() => this.store.compaction.recordFailure(sessionId, failure));
  }

  /** The failure that forbids the next compaction now; null when none does. */
  getCompressionFailureCooldown(sessionId: string): CompressionCooldown | null {
    const found = ofSession(() => this.store.compaction.cooldown(sessionId), undefined);
    return found ? this.row({ cooldownUntil: found.untilSeconds, error: found.failure }) : null;
  }

  /** What stands there, whether its time is over or not, to put it back later; null for an unknown session. */
  getCompressionFailureCooldownRow(sessionId: string): CompressionCooldownRow | null {
    const health = this.#health(sessionId);
    return health && this.row({ cooldownUntil: health.cooldownUntilSeconds, error: health.failure });
  }

  /**
   * Puts back what {@link SessionDbCompaction.getCompressionFailureCooldownRow} gave, in either spelling, and reads it
   * again.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_HEALTH_NOT_RESTORED`.
   */
  restoreCompressionFailureCooldownRow(sessionId: string, snapshot: CooldownSnapshot): void {
    const part = { cooldownUntilSeconds: momentIn(snapshot), failure: snapshot.error };
    this.store.compaction.restoreHealth(sessionId, part);
  }

  /** Forgets the recorded failure. @returns Whether there was one. */
  clearCompressionFailureCooldown(sessionId: string): boolean {
    return this.store.compaction.clearFailure(sessionId);
  }

  /** How many compactions in a row used the fallback; 0 for an unknown session. */
  getCompressionFallbackStreak(sessionId: string): number {
    return this.#health(sessionId)?.fallbackStreak ?? 0;
  }

  setCompressionFallbackStreak(sessionId: string, streak: number): void {
    ifSessionExists(() => this.store.compaction.updateHealth(sessionId, { fallbackStreak: streak }));
  }

  /** How many compactions saved too little; 0 for an unknown session. */
  getCompressionIneffectiveCount(sessionId: string): number {
    return this.#health(sessionId)?.ineffectiveCount ?? 0;
  }

  setCompressionIneffectiveCount(sessionId: string, count: number): void {
    ifSessionExists(() => this.store.compaction.updateHealth(sessionId, { ineffectiveCount: count }));
  }

  /**
   * Claims the compaction of a session. One whose time is over, or whose process is gone, goes first.
   *
   * @param holder - `store.leases.newHolder()` makes one that tells which process it is.
   * @returns False while somebody else has it, and where it cannot be found out: then there is no compaction.
   */
  tryAcquireCompressionLock(sessionId: string, holder: string, ttlSeconds?: Alone<"ttlSeconds", number>): boolean {
    const seconds = oneArgument("SessionDB.tryAcquireCompressionLock", "ttlSeconds", ttlSeconds) ?? LOCK_SECONDS;
    try {
      return this.store.leases.acquire("compression", sessionId, { holder, ttlSeconds: seconds }) !== undefined;
    } catch (error) {
      // As the old store did: whoever cannot claim leaves the conversation as it is.
      if (isStateError(error)) return false;
      throw error;
    }
  }

  /** Moves the end of a lock, also of one whose time is over while nobody claimed it. @returns Whether it is held. */
  refreshCompressionLock(sessionId: string, holder: string, ttlSeconds?: Alone<"ttlSeconds", number>): boolean {
    const seconds = oneArgument("SessionDB.refreshCompressionLock", "ttlSeconds", ttlSeconds) ?? LOCK_SECONDS;
    const lease = { kind: "compression", key: sessionId, holder, ttlSeconds: seconds } as const;
    return this.store.leases.refresh({ ...lease, acquiredAtSeconds: 0, expiresAtSeconds: 0 }) !== undefined;
  }

  /** Gives a lock back; harmless where it is lost. @returns Whether this call gave it back. */
  releaseCompressionLock(sessionId: string, holder: string): boolean {
    return this.store.leases.release({ kind: "compression", key: sessionId, holder });
  }

  /** Who compacts a session; null when nobody does. */
  getCompressionLockHolder(sessionId: string): string | null {
    return this.store.leases.holder("compression", sessionId)?.holder ?? null;
  }

  #health(sessionId: string): CompactionHealth | null {
    return ofSession(() => this.store.compaction.health(sessionId), null);
  }
}
