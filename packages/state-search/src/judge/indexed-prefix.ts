import { INDEXED_TOOL_CHARACTERS } from "@hermes/state-schema";
import { cutAtToken } from "../meaning/cut-at-token.js";

/**
 * What of a tool's output a search covers unless the tool role is asked for: its first 8,192 characters, which is what
 * the newest index holds, without a word that the cut would go through (SEA-07).
 */
export function indexedPrefix(text: string): string {
  return cutAtToken(text, INDEXED_TOOL_CHARACTERS);
}
