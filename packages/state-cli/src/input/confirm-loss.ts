import { StateError } from "@hermes/state-core";
import type { VerbContext } from "../verb.js";
import { canAsk, confirm } from "./confirm.js";

/** What somebody has to agree to. */
export interface Loss {
  /** Shown before the question. */
  readonly text: string;
  readonly question: string;
  /** What did not happen without an answer: `Nothing was erased`. */
  readonly nothing: string;
  readonly sessionIds: readonly string[];
}

/**
 * Shows what would go and asks; `--yes` is the answer.
 *
 * @returns False when the answer is no.
 * @throws STATE_E_NOT_CONFIRMED when there is no terminal to ask on.
 */
export async function confirmLoss({ options, output }: VerbContext, loss: Loss): Promise<boolean> {
  if (options.yes === true) return true;
  if (!canAsk()) {
    throw new StateError(
      "STATE_E_NOT_CONFIRMED",
      `${loss.nothing}: ${String(loss.sessionIds.length)} sessions would go for good, and there is no terminal to ` +
        "ask on. Look with --dry-run, then add --yes.",
      { sessions: loss.sessionIds },
    );
  }
  output.notice(loss.text);
  if (await confirm(loss.question)) return true;
  output.notice("Nothing was changed.");
  return false;
}
