function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const swap = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

function nearest(name: string, allowed: readonly string[]): string | undefined {
  const ranked = allowed
    .map((candidate) => ({ candidate, cost: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.cost - b.cost);
  const best = ranked[0];
  return best && best.cost <= Math.max(2, Math.floor(name.length / 3)) ? best.candidate : undefined;
}

/**
 * Refuses options that a function does not have: a misspelt option must not be ignored in silence.
 *
 * @param what - The function as the caller knows it: "openStateStore".
 * @throws TypeError naming the unknown option and the nearest known one.
 */
export function checkKnownOptions(what: string, options: unknown, allowed: readonly string[]): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`${what}: options must be an object, not ${options === null ? "null" : typeof options}.`);
  }
  for (const name of Object.keys(options)) {
    if (allowed.includes(name)) continue;
    const suggestion = nearest(name, allowed);
    const hint = suggestion ? `Did you mean "${suggestion}"?` : `Known options: ${allowed.join(", ")}.`;
    throw new TypeError(`${what}: unknown option "${name}". ${hint}`);
  }
}
