import type { Writer } from "@hermes/state-schema";
import { createHash } from "node:crypto";

const INSERT_PROMPT = "INSERT OR IGNORE INTO system_prompts (hash, prompt) VALUES (?, ?)";

/** A prompt goes when no session names it any more, as prompt or as list of tools. */
const DROP_UNUSED_PROMPT = `
  DELETE FROM system_prompts WHERE hash = ?
    AND NOT EXISTS (SELECT 1 FROM sessions WHERE system_prompt_hash = system_prompts.hash)
    AND NOT EXISTS (SELECT 1 FROM sessions WHERE tool_names = system_prompts.hash)`;

/** A prompt by its content address. */
export interface AddressedPrompt {
  /** Lower-case hex SHA-256 of the UTF-8 text as it will be stored. */
  readonly hash: string;
  readonly text: string;
}

/** A prompt with its address, or undefined for none. */
export function addressPrompt(text: string | null): AddressedPrompt | undefined {
  if (text === null) return undefined;
  return { hash: createHash("sha256").update(text.toWellFormed(), "utf8").digest("hex"), text };
}

/**
 * Stores a prompt once for all sessions that use it.
 *
 * @returns Its address; null for no prompt.
 */
export function storePrompt(w: Writer, prompt: AddressedPrompt | undefined): string | null {
  if (!prompt) return null;
  w.run(INSERT_PROMPT, [prompt.hash, prompt.text]);
  return prompt.hash;
}

/** Deletes a prompt that a session has let go of, unless another one uses it. */
export function releasePrompt(w: Writer, hash: string | null): void {
  if (hash !== null) w.run(DROP_UNUSED_PROMPT, [hash]);
}
