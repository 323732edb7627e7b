/** Values that one statement is given at most (POR-08). */
export const CHUNK = 500;

/** Cuts a list into pieces of at most {@link CHUNK}. */
export function chunksOf<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let from = 0; from < items.length; from += CHUNK) chunks.push(items.slice(from, from + CHUNK));
  return chunks;
}

/** Messages that one transaction deletes at most, unless a single session has more: others want to write, too. */
const MESSAGES_AT_ONCE = 5_000;

/**
 * Cuts a list of sessions into pieces of work that one transaction can do without keeping others waiting for long.
 *
 * @param messagesOf - How many messages a session has.
 */
export function* portionsOf(
  ids: readonly string[],
  messagesOf: (id: string) => number,
): Generator<readonly string[], void, undefined> {
  let portion: string[] = [];
  let messages = 0;
  for (const id of ids) {
    const more = messagesOf(id);
    if (portion.length > 0 && (portion.length >= CHUNK || messages + more > MESSAGES_AT_ONCE)) {
      yield portion;
      portion = [];
      messages = 0;
    }
    portion.push(id);
    messages += more;
  }
  if (portion.length > 0) yield portion;
}
