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

/** A transcript message with the peer's keys. */
export function toPeerMessage(message: TranscriptMessage): PeerDict {
  const entries = Object.entries(message).map(([key, value]) => [TRANSCRIPT_NAMES[key] ?? snake(key), value as unknown]);
  return Object.fromEntries(entries) as PeerDict;
}

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
    const name = key === "timestampSeconds" ? "timestamp" : snake(key);
    if (name in recorded) dict[name] = typeof value === "boolean" ? Number(value) : (value as unknown);
  }
  return dict;
}

/** A recorded row in the shape of {@link toPeerRow}: JSON text parsed. */
export function recordedRow(recorded: PeerDict): PeerDict {
  const parsed = AS_TEXT.filter((name) => typeof recorded[name] === "string").map((name) => [
    name,
    JSON.parse(recorded[name] as string) as unknown,
  ]);
  return { ...recorded, ...(Object.fromEntries(parsed) as PeerDict) };
}
