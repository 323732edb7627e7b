import { checkChoice } from "../codec/check-choice.js";
import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { StoreContext } from "../store/context.js";
import { acquireLease } from "./acquire-lease.js";
import { checkTtl } from "./check-ttl.js";
import { conversationKey } from "./conversation-key.js";
import { newAgent, newHolder } from "./holder-name.js";
import { deleteLease, extendLease, listLeases, readLease, sweepLeases } from "./lease-rows.js";
import { LEASE_GRACE_SECONDS, LEASE_KINDS, LEASE_TTL_SECONDS } from "./lease.js";
import type { Lease, LeaseKind, LeaseRow } from "./lease.js";

/** How to claim. */
export interface LeaseOptions {
  /** Default: a text of this process that the peer understands. */
  readonly holder?: string;
  /** Seconds until the lease ends unless it is refreshed; default 300. */
  readonly ttlSeconds?: number;
}

function checkKind(what: string, kind: LeaseKind): void {
  checkChoice(`leases.${what}: kind`, kind, LEASE_KINDS);
}

/**
 * Claims that end by themselves, in rows that the peer writes and reads too: who compacts a session, and whose turn a
 * conversation is (COR-25).
 */
export class Leases {
  readonly #context: StoreContext;
  #agent: string | undefined;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** A new holder text of this process, for claims that several calls share. */
  newHolder(): string {
    const { random } = this.#context;
    this.#agent ??= newAgent(random);
    return newHolder(this.#agent, random);
  }

  /**
   * Claims the compaction of a session, or the turn of the conversation a session belongs to. A lease whose time is
   * over goes first, and so does one of a process that is gone from this machine.
   *
   * @param sessionId - Of a turn lease any session of the conversation; it need not exist yet.
   * @returns The lease, or undefined while somebody else has it.
   * @throws TypeError or RangeError for an impossible option. StateError `STATE_E_BUSY`: a busy file is no holder.
   */
  acquire(kind: LeaseKind, sessionId: string, options: LeaseOptions = {}): Lease | undefined {
    checkKind("acquire", kind);
    checkText("leases.acquire: the session id", sessionId);
    checkKnownOptions("leases.acquire", options, ["holder", "ttlSeconds"]);
    const { holder = this.newHolder(), ttlSeconds = LEASE_TTL_SECONDS } = options;
    checkText("leases.acquire: holder", holder);
    checkTtl("leases.acquire: ttlSeconds", ttlSeconds);
    const request = { kind, sessionId, holder, ttlSeconds };
    return this.#context.write("take a lease", (w) => acquireLease(w, request, this.#context.clock.now()));
  }

  /**
   * Moves the end of a lease: by holder and not by time, so that an owner that was held up may come back to a lease
   * nobody claimed meanwhile.
   *
   * @param ttlSeconds - Default: as it was acquired with.
   * @returns The lease with its new end, or undefined when it is lost.
   */
  refresh(lease: Lease, ttlSeconds: number = lease.ttlSeconds): Lease | undefined {
    checkKind("refresh", lease.kind);
    checkTtl("leases.refresh: ttlSeconds", ttlSeconds);
    return this.#context.write("refresh a lease", (w) => {
      const expiresAtSeconds = this.#context.clock.now() + ttlSeconds;
      const held = extendLease(w, lease.kind, lease.key, lease.holder, expiresAtSeconds);
      return held ? { ...lease, ttlSeconds, expiresAtSeconds } : undefined;
    });
  }

  /**
   * Gives a lease back. Harmless when it is lost or was given back before.
   *
   * @returns Whether this call gave it back.
   */
  release(lease: Pick<Lease, "kind" | "key" | "holder">): boolean {
    checkKind("release", lease.kind);
    return this.#context.write("release a lease", (w) => deleteLease(w, lease.kind, lease.key, lease.holder));
  }

  /**
   * Who has the compaction of a session, or the turn of its conversation; undefined when nobody has it or its time is
   * over. A holder that died still shows here until somebody claims.
   */
  holder(kind: LeaseKind, sessionId: string): LeaseRow | undefined {
    checkKind("holder", kind);
    checkText("leases.holder: the session id", sessionId);
    const now = this.#context.clock.now();
    return this.#context.read((r) => {
      const row = readLease(r, kind, kind === "turn" ? conversationKey(r, sessionId) : sessionId);
      return row && (row.expiresAtSeconds ?? now) >= now ? row : undefined;
    });
  }

  /** Every lease of a kind, also those whose time is over; the first to end first. */
  list(kind: LeaseKind): readonly LeaseRow[] {
    checkKind("list", kind);
    return this.#context.read((r) => listLeases(r, kind));
  }

  /**
   * Removes the leases of a kind that ended more than a day ago. Claiming a turn does so by itself.
   *
   * @returns How many.
   */
  sweep(kind: LeaseKind): number {
    checkKind("sweep", kind);
    const before = this.#context.clock.now() - LEASE_GRACE_SECONDS;
    return this.#context.write("sweep leases", (w) => sweepLeases(w, kind, before));
  }
}
