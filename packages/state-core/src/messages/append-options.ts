import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";

/** How to append. */
export interface AppendOptions {
  /**
   * Who must have the turn of the conversation: `turn.holder` of `withTurnLease`. Nothing is stored once the lease is
   * lost; one whose time is over while nobody claimed it is renewed (COR-25).
   */
  readonly turnLeaseHolder?: string;
}

/**
 * Checks the options of an append.
 *
 * @param what - The method as the caller knows it.
 * @throws TypeError for an unknown option or a wrong type.
 */
export function checkAppendOptions(what: string, options: AppendOptions): void {
  checkKnownOptions(what, options, ["turnLeaseHolder"]);
  if (options.turnLeaseHolder !== undefined) checkText(`${what}: turnLeaseHolder`, options.turnLeaseHolder);
}
