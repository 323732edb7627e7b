import { checkChoice } from "../codec/check-choice.js";
import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";

/** How to append. */
export interface AppendOptions {
  /**
   * Who must have the turn of the conversation: `turn.holder` of `withTurnLease`. Nothing is stored once the lease is
   * lost; one whose time is over while nobody claimed it is renewed (COR-25).
   */
  readonly turnLeaseHolder?: string;
  /**
   * The messages may have been stored before, by an append whose answer was lost: one that any segment of the
   * conversation holds already, by its `platformMessageId` or its `messageUid`, is not stored again; its receipt names
   * the row, and the session, that is there (GWS-05, P14). To find a `messageUid` takes a look at every row of the
   * conversation; `platform-id` looks for that id alone, which an index knows. Default false: the platform's id in the
   * session itself.
   */
  readonly once?: boolean | "platform-id";
}

/**
 * Checks the options of an append.
 *
 * @param what - The method as the caller knows it.
 * @throws TypeError for an unknown option or a wrong type.
 */
export function checkAppendOptions(what: string, options: AppendOptions): void {
  checkKnownOptions(what, options, ["turnLeaseHolder", "once"]);
  const { once } = options;
  if (once !== undefined && typeof once !== "boolean") checkChoice(`${what}: once`, once, ["platform-id"]);
  if (options.turnLeaseHolder !== undefined) checkText(`${what}: turnLeaseHolder`, options.turnLeaseHolder);
}
