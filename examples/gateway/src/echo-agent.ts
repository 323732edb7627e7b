import { setTimeout } from "node:timers/promises";
import { contentText } from "@hermes/state-core";
import type { TranscriptMessage } from "@hermes/state-core";


/**
 * The agent: it says what it heard, and how much of the conversation it sees. Put a model in its place.
 *
 * @param transcript - What the model sees, the new message last.
 */
export async function echo(transcript: readonly TranscriptMessage[], thinkMs: number): Promise<string> {
  await setTimeout(thinkMs);
  return `You said: ${contentText(transcript.at(-1)?.content)} (${transcript.length} messages in sight)`;
}
