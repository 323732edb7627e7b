/**
 * Makes text literal inside a LIKE pattern that is written with `ESCAPE '\'`. The only escape of the stack (COR-33):
 * an unescaped `_` in a filter once matched sibling directories.
 *
 * @example
 * ```ts
 * reader.all("SELECT id FROM sessions WHERE id LIKE ? ESCAPE '\\'", [`${likeEscape(prefix)}%`]);
 * ```
 */
export function likeEscape(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}
