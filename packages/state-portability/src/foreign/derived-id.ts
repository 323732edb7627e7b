import { createHash } from "node:crypto";

const HEX_DIGITS = 32;

/**
 * An id for something that has none in its source, the same at every reading.
 *
 * @param parts - What tells it from all others.
 */
export function derivedId(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:${part}`, "utf8");
  return hash.digest("hex").slice(0, HEX_DIGITS);
}
