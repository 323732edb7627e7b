import { Buffer } from "node:buffer";
import { StateError } from "../errors/state-error.js";

/** A cursor that did not come from the function it was given to. */
export function badCursor(what: string, cursor: string): StateError {
  return new StateError(
    "STATE_E_BAD_CURSOR",
    `${what}: ${JSON.stringify(cursor)} is no cursor of this list. ` +
      "Pass nextCursor of a page unchanged, or none to start over.",
    { what, cursor },
  );
}

/**
 * Packs the place a page ended at into opaque text.
 *
 * @param kind - Which list it belongs to.
 */
export function encodeCursor(kind: string, place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([kind, ...place])).toString("base64url");
}

/**
 * Unpacks {@link encodeCursor}.
 *
 * @param what - The function the cursor was given to, as the caller knows it.
 * @param types - The type of every member; a place of another kind or shape is refused.
 * @throws StateError `STATE_E_BAD_CURSOR`.
 */
export function decodeCursor(
  what: string,
  kind: string,
  cursor: string,
  types: readonly ("string" | "number")[],
): (string | number)[] {
  const [found, ...place] = parse(cursor);
  const fits = found === kind && place.length === types.length;
  if (!fits || types.some((type, index) => typeof place[index] !== type)) throw badCursor(what, cursor);
  return place as (string | number)[];
}

function parse(cursor: string): unknown[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(place) ? place : [];
  } catch {
    // Not a cursor; the caller says so.
    return [];
  }
}
