import { StateError } from "../errors/state-error.js";

/** Longest title, in characters. */
export const TITLE_LIMIT = 100;

/** Controls that are no white space, and invisible marks that would make two titles look alike. */
const INVISIBLE =
  // eslint-disable-next-line no-control-regex -- these are the characters to remove
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc]/g;

/**
 * Makes a title storable: lone surrogates replaced, invisible characters removed, white space collapsed (COR-29).
 *
 * @returns Null when nothing is left.
 * @throws StateError `STATE_E_TITLE_TOO_LONG` beyond 100 characters.
 */
export function sanitizeTitle(title: string): string | null {
  if (typeof title !== "string") throw new TypeError(`A title must be a string, not ${typeof title}.`);
  const clean = title.toWellFormed().replace(INVISIBLE, "").replace(/[\s\u0085]+/g, " ").trim();
  const length = Array.from(clean).length;
  if (length <= TITLE_LIMIT) return clean === "" ? null : clean;
  throw new StateError(
    "STATE_E_TITLE_TOO_LONG",
    `The title has ${length} characters; at most ${TITLE_LIMIT} are stored. Shorten it.`,
    { length, limit: TITLE_LIMIT },
  );
}
