/** More levels than anybody writes; a parser that goes down one call per level survives them on any thread. */
const LIMIT = 700;

/** Comments and strings, closed or not; brackets and ends; and what leads one level down without a bracket. */
const TOKEN = new RegExp(
  [
    /\/\*(?:[^]*?\*\/|[^]*)|\/\/.*/,
    /"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/,
    /[([{)\]};,]/,
    /=>|\?(?![.?])|\*\*|[!~=]|[-+](?=\s*[-+])|\w<(?=\w)/,
    /\b(?:if|else|for|while|with|do|new|typeof|void|delete|await|yield|keyof)\b/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** A branch that ended goes on. */
const ELSE = /\s*else\b/y;

/**
 * Whether a text nests deeper than a parser can follow. The native one ends the process where its stack does, so this
 * is asked first. It reads tokens, not syntax, and counts what leads down: brackets, and prefixes since the last end.
 */
export function nestsTooDeep(text: string): boolean {
  const outer: number[] = [];
  let depth = 0;
  let prefixes = 0;
  const reset = (): void => {
    depth -= prefixes;
    prefixes = 0;
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (/^["'/]/.test(token)) continue;
    if (/^[([{]/.test(token)) {
      outer.push(prefixes);
      prefixes = 0;
      depth += 1;
    } else if (/^[)\]};,]/.test(token)) {
      ELSE.lastIndex = index + 1;
      const ends = token !== ")" && token !== "]" && !ELSE.test(text);
      if (/[)\]}]/.test(token) && outer.length > 0) {
        reset();
        prefixes = outer.pop() ?? 0;
        depth -= 1;
      }
      if (ends) reset();
    } else {
      prefixes += 1;
      depth += 1;
    }
    if (depth > LIMIT) return true;
  }
  return false;
}
