import type { MessageRow, TranscriptMessage } from "../../src/index.js";
import type { PeerDict } from "./peer-expected.js";

/** The peer calls it the message's id; everything else is the same word in another case. */
const TRANSCRIPT_NAMES: Readonly<Record<string, string>> = {
  platformMessageId: "message_id",
  timestampSeconds: "timestamp",
};

function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A transcript message with the peer's keys, without what marks it as stored. */
export function toPeerMessage({ _persisted: _, ...message }: TranscriptMessage): PeerDict {
  const entries = Object.entries(message).map(([key, value]) => [
    TRANSCRIPT_NAMES[key] ?? snake(key),
    value as unknown,
  ]);
  return Object.fromEntries(entries) as PeerDict;
}

const ROW_NAMES: Readonly<Record<string, string>> = {
  timestampSeconds: "timestamp",
  compressedSummary: "_compressed_summary",
};

/** Columns that never leave this store. */
const PRIVATE = ["display_identity", "display_order"];

/** JSON columns that the peer's row reader leaves as text. */
const AS_TEXT = ["reasoning_details", "codex_reasoning_items", "codex_message_items"];

/**
 * A message row with the peer's keys, cut to those of a recorded row.
 *
 * @param recorded - The peer's row; columns its version lacked are left out.
 */
export function toPeerRow(row: MessageRow, recorded: PeerDict): PeerDict {
  const dict: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(row)) {
    const name = ROW_NAMES[key] ?? snake(key);
    if (name in recorded) dict[name] = typeof value === "boolean" ? Number(value) : (value as unknown);
  }
  return dict;
}

/** A recorded row in the shape of {@link toPeerRow}: JSON text parsed, private columns left out. */
export function recordedRow(recorded: PeerDict): PeerDict {
  const parsed = AS_TEXT.filter((name) => typeof recorded[name] === "string").map((name) => [
    name,
    JSON.parse(recorded[name] as string) as unknown,
  ]);
  const shown = Object.entries(recorded).filter(([name]) => !PRIVATE.includes(name));
  return { ...(Object.fromEntries(shown) as PeerDict), ...(Object.fromEntries(parsed) as PeerDict) };
}
