import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { StoreContext } from "../store/context.js";
import {
  claimDelivery,
  deleteDelegation,
  DELEGATION_KEYS,
  delegationCells,
  findDelegation,
  listDelegations,
  markDelivered,
  saveDelegation,
} from "./delegation-rows.js";
import type { Delegation, DelegationFields, DelegationFilter } from "./delegation-rows.js";

const CLAIM_TTL_SECONDS = 300;

const FILTER_KEYS: readonly (keyof DelegationFilter)[] = ["state", "deliveryState", "originSession", "parentSessionId"];

/** Work that agents gave away and whose results are delivered later, as the file's table keeps it (COR-36). */
export class Delegations {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * Makes a delegation, or changes the given fields of one that is there. States are the host's words and are not
   * interpreted.
   *
   * @throws TypeError for an unknown key or a wrong type, and when a new one lacks `originSession`, `state` or
   * `dispatchedAtSeconds`.
   */
  save(delegationId: string, fields: DelegationFields): void {
    checkText("delegations.save: the id", delegationId);
    checkKnownOptions("delegations.save", fields, DELEGATION_KEYS);
    const cells = delegationCells("delegations.save", fields);
    const now = this.#context.clock.now();
    this.#context.write("save a delegation", (w) => saveDelegation(w, delegationId, cells, now));
  }

  /** One delegation, or undefined. */
  find(delegationId: string): Delegation | undefined {
    return this.#context.read((r) => findDelegation(r, delegationId));
  }

  /** Delegations for which all given conditions hold, the first dispatched first. */
  list(filter: DelegationFilter = {}): readonly Delegation[] {
    checkKnownOptions("delegations.list", filter, FILTER_KEYS);
    return this.#context.read((r) => listDelegations(r, filter));
  }

  /** Deletes a delegation. @returns Whether there was one. */
  delete(delegationId: string): boolean {
    return this.#context.write("delete a delegation", (w) => deleteDelegation(w, delegationId));
  }

  /**
   * Claims the delivery of a result that waits for it: of any number of processes one gets it. Every claim counts as an
   * attempt.
   *
   * @param claim - Names the claim to {@link Delegations.markDelivered}.
   * @param options - `ttlSeconds`: how long a claim keeps others out; default 300.
   * @returns Whether the delivery is this claim's.
   */
  claimDelivery(delegationId: string, claim: string, options: { readonly ttlSeconds?: number } = {}): boolean {
    checkText("delegations.claimDelivery: claim", claim);
    checkKnownOptions("delegations.claimDelivery", options, ["ttlSeconds"]);
    const { ttlSeconds = CLAIM_TTL_SECONDS } = options;
    if (!(Number.isFinite(ttlSeconds) && ttlSeconds > 0)) {
      throw new RangeError(`delegations.claimDelivery: ttlSeconds must be more than 0, not ${ttlSeconds}.`);
    }
    const now = this.#context.clock.now();
    return this.#context.write("claim a delivery", (w) => claimDelivery(w, delegationId, claim, now, now - ttlSeconds));
  }

  /**
   * Says that a claimed result was delivered.
   *
   * @returns Whether the claim still held.
   */
  markDelivered(delegationId: string, claim: string): boolean {
    const now = this.#context.clock.now();
    return this.#context.write("mark a delivery", (w) => markDelivered(w, delegationId, claim, now));
  }
}
