// eslint-disable-next-line no-control-regex -- the separators are space to Python
const SPACE = /^[\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;

/**
 * Trims what Python's `str.strip()` trims, which is not what `String.prototype.trim` trims: U+0085 and the separators
 * U+001C..U+001F are space, U+FEFF is not.
 */
export function pythonStrip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.test(text.charAt(start))) start++;
  while (end > start && SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
