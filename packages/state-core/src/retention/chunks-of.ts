/** Values that one statement is given at most. */
export const CHUNK = 900;

/** Cuts a list into pieces of at most {@link CHUNK}. */
export function chunksOf<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let from = 0; from < items.length; from += CHUNK) chunks.push(items.slice(from, from + CHUNK));
  return chunks;
}
