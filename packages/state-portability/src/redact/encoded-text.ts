/** Base64 of some length, on one line or wrapped; the two letters beyond the digits tell the spellings apart. */
const ENCODED = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{16,})*={0,2}/g;
/** So much of it is looked at before all of it is decoded: pictures are no text from the first bytes on. */
const HEAD = 64;
/** No text holds these. */
// eslint-disable-next-line no-control-regex
const BINARY = /[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/;

/**
 * Lets texts in a text that are spelled as Base64 be changed: a file that came along, a document of another program.
 *
 * @param change - Given what a run of Base64 means when that is text.
 */
export function changeEncoded(text: string, change: (decoded: string) => string): string {
  if (text.length < HEAD / 4) return text;
  return text.replace(ENCODED, (run) => {
    const packed = run.replace(/[\r\n]+/g, "");
    if (BINARY.test(decode(packed.slice(0, HEAD)).slice(0, -1))) return run;
    const decoded = decode(packed);
    if (BINARY.test(decoded.slice(0, -1))) return run;
    const changed = change(decoded);
    return changed === decoded ? run : encode(changed, packed);
  });
}

/** Either spelling. */
function decode(packed: string): string {
  return Buffer.from(packed, "base64").toString("utf8");
}

function encode(text: string, like: string): string {
  const bytes = Buffer.from(text, "utf8");
  const url = /[_-]/.test(like) || (!like.endsWith("=") && like.length % 4 !== 0);
  return bytes.toString(url ? "base64url" : "base64");
}
