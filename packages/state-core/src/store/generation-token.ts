import { META_KEYS } from "@hermes/state-schema";
import type { Reader } from "@hermes/state-schema";

const TOKEN = `SELECT value FROM state_meta WHERE key = '${META_KEYS.dbFileGeneration.key}'`;

/** The token of this life of the file; undefined where no program has written one yet. */
export function generationToken(r: Reader): string | undefined {
  return r.get<{ value: string }>(TOKEN)?.value;
}
