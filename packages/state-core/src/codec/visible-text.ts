/** Characters that move a cursor, change colours, or turn the direction of what follows. Newline and tab stay. */
// eslint-disable-next-line no-control-regex -- these are the characters to show
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes stored text safe to show: a message must not be able to steer the terminal or the page of whoever reads it.
 * Line ends become `\n`, and control and direction characters are spelled as `\u001b`. For showing only; it loses
 * what they were.
 */
export function visibleText(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n");
  return lines.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
