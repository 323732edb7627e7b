import type { Writer } from "@hermes/state-schema";

const CARRY = `
  INSERT INTO conversation_generations (source, session_key, generation)
  SELECT source, ?, generation FROM conversation_generations WHERE session_key = ?
  ON CONFLICT (source, session_key) DO UPDATE SET generation = max(generation, excluded.generation)`;

/**
 * Lets the generations of a peer go on under another spelling of its key: they only increase (GWS-07). Those of the
 * old spelling stay.
 */
export function carryGeneration(w: Writer, fromKey: string, toKey: string): void {
  w.run(CARRY, [toKey, fromKey]);
}
