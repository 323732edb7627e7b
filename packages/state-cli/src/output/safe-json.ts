/** What JSON leaves as it is, but a terminal may obey. */
const STEERING = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/**
 * JSON that is also safe on a terminal: whoever parses it gets the stored characters, whoever looks at it sees escapes.
 */
export function safeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
