import type { JsonValue } from "../codec/json-value.js";
import { parsePythonJson } from "../codec/parse-python-json.js";

/** Sixteen digits and more are beyond what a number is exact for. */
const LONG = /\d{16}/;
const LONG_ID = /"((?:[a-z]+_)*id(?:_alt)?)"(\s*:\s*)(-?\d{16,})(?=\s*[,}])/g;

/**
 * Parses what gateways store about routes and where messages came from. Ids that a Python program stored as long
 * numbers come back as text with every digit: a chat that is off by one is another chat.
 *
 * @throws SyntaxError when it is not JSON.
 */
export function parseRoutingJson(text: string): JsonValue {
  return parsePythonJson(LONG.test(text) ? text.replace(LONG_ID, '"$1"$2"$3"') : text);
}
