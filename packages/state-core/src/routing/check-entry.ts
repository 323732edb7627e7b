import { checkText } from "../codec/check-text.js";
import { isJsonObject } from "../codec/json-object.js";

/** @throws TypeError. */
export function checkScope(what: string, scope: unknown): void {
  if (typeof scope !== "string") throw new TypeError(`${what}: scope must be a string, not ${typeof scope}.`);
}

/** @throws TypeError. */
export function checkEntry(what: string, sessionKey: unknown, entry: unknown): void {
  checkText(`${what}: the key`, sessionKey);
  if (!isJsonObject(entry)) throw new TypeError(`${what}: the entry must be an object.`);
}
