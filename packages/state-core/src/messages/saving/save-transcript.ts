import { checkChoice } from "../../codec/check-choice.js";
import { checkKnownOptions } from "../../config/check-known-options.js";
import { generationToken } from "../../store/generation-token.js";
import type { StoreContext } from "../../store/context.js";
import { appendMessages } from "../append-messages.js";
import { checkAppendOptions } from "../append-options.js";
import type { AppendOptions } from "../append-options.js";
import { encodeBatch } from "../encode-batch.js";
import type { EncodedMessage } from "../encode-message.js";
import type { NewMessage } from "../new-message.js";
import type { MessageReceipt } from "../receipt.js";
import { markStored } from "./mark-stored.js";
import { planTranscript } from "./plan-transcript.js";
import type { TranscriptPlan } from "./plan-transcript.js";
import { transcriptEdited } from "./saving-errors.js";
import { refuseRepeats, verifyStored } from "./verify-transcript.js";

/** What to do where a list and the store disagree; by default both are refused. */
export interface SaveTranscriptOptions extends Pick<AppendOptions, "turnLeaseHolder"> {
  /** Stored messages that were changed in the list: an error, or the stored text stays as it is. */
  readonly edited?: "refuse" | "keep-stored";
  /** New messages that begin with everything stored behind the last marked one: an error, or they were said again. */
  readonly repeated?: "refuse" | "append";
}

/** What a save did. */
export interface SavedTranscript {
  readonly sessionId: string;
  /** The given list, every message of it marked: go on from it. */
  readonly messages: readonly NewMessage[];
  /** One receipt for every message that was new, in order. */
  readonly appended: readonly MessageReceipt[];
}

function checkOptions(
  options: SaveTranscriptOptions,
): SaveTranscriptOptions & Required<Pick<SaveTranscriptOptions, "edited" | "repeated">> {
  checkKnownOptions("messages.saveTranscript", options, ["edited", "repeated", "turnLeaseHolder"]);
  const { edited = "refuse", repeated = "refuse", ...append } = options;
  checkAppendOptions("messages.saveTranscript", append);
  checkChoice("messages.saveTranscript: edited", edited, ["refuse", "keep-stored"]);
  checkChoice("messages.saveTranscript: repeated", repeated, ["refuse", "append"]);
  return { edited, repeated, ...append };
}

function refuseEdits({ sessionId, stored }: TranscriptPlan): void {
  const edited = stored.filter((entry) => !entry.intact);
  if (edited.length === 0) return;
  const ids = edited.flatMap((entry) => entry.place.rows);
  throw transcriptEdited(sessionId, ids, edited.map((entry) => entry.position));
}

/** See {@link Messages.saveTranscript}. */
export function saveTranscript(
  context: StoreContext,
  sessionId: string,
  messages: readonly NewMessage[],
  options: SaveTranscriptOptions,
): SavedTranscript {
  const { edited, repeated, turnLeaseHolder } = checkOptions(options);
  const generation = context.read(generationToken);
  const plan = planTranscript(generation, sessionId, messages);
  if (edited === "refuse") refuseEdits(plan);
  if (plan.fresh.length === 0) {
    context.read((r) => verifyStored(r, plan));
    return { sessionId, messages: [...messages], appended: [] };
  }
  const now = context.clock.now();
  const encoded: readonly EncodedMessage[] = encodeBatch(
    sessionId,
    plan.fresh.map((entry) => entry.message),
    now,
  );
  const appended = context.write(
    "save a transcript",
    (w) => {
      verifyStored(w, plan);
      if (repeated === "refuse") refuseRepeats(w, plan, encoded);
      return appendMessages(w, sessionId, encoded, now, turnLeaseHolder === undefined ? {} : { turnLeaseHolder });
    },
    "transcript",
  );
  const marked = markStored(generation, plan, appended);
  const saved = [...messages];
  plan.fresh.forEach(({ position }, index) => (saved[position] = marked[index] as NewMessage));
  return { sessionId, messages: saved, appended };
}
