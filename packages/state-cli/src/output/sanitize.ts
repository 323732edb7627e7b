/** Characters that move the cursor, change colours, or turn the direction of what follows. Newline and tab stay. */
// eslint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Makes stored text safe to print: a message must not be able to steer the terminal of whoever reads it.
 *
 * @returns The text with control and direction characters spelled as `\u001b`.
 */
export function sanitize(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(UNSAFE, escapeCharacter);
}

/** As {@link sanitize}, on one line: runs of white space become one space. */
export function sanitizeLine(text: string): string {
  return sanitize(text.replace(/\s+/g, " ").trim());
}

/**
 * JSON that is also safe on a terminal: what JSON leaves as it is, but a terminal may obey, is escaped as JSON allows.
 */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escapeCharacter);
}
