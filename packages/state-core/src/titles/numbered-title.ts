import type { Reader } from "@hermes/state-schema";
import { likeEscape } from "../codec/like-escape.js";
import { TITLE_LIMIT } from "./sanitize-title.js";

const NUMBER = / #(\d{1,9})$/;

const SELECT_FAMILY = "SELECT id, title FROM sessions WHERE title = ? OR title LIKE ? ESCAPE '\\'";

interface Member {
  readonly id: string;
  readonly number: number;
}

/** A title without the ` #N` at its end. */
export function titleBase(title: string): string {
  return title.replace(NUMBER, "");
}

/** Sessions titled `base` (number 1) or `base #N`. */
function titleFamily(r: Reader, base: string): readonly Member[] {
  const members: Member[] = [];
  const pattern = `${likeEscape(base)} #%`;
  for (const { id, title } of r.all<{ id: string; title: string }>(SELECT_FAMILY, [base, pattern])) {
    if (title === base) members.push({ id, number: 1 });
    else if (titleBase(title) === base) members.push({ id, number: Number(NUMBER.exec(title)?.[1]) });
  }
  return members;
}

/**
 * The session a title means: of `title #N` the highest N, else the exact one.
 *
 * @returns Its id, or undefined.
 */
export function findByTitle(r: Reader, title: string): string | undefined {
  return [...titleFamily(r, title)].sort((a, b) => b.number - a.number)[0]?.id;
}

function highestNumber(r: Reader, base: string): number {
  return Math.max(0, ...titleFamily(r, base).map((member) => member.number));
}

/** `base #N`, the base cut where it leaves no room for the number. */
function numbered(base: string, number: number): { readonly base: string; readonly title: string } {
  const suffix = ` #${number}`;
  const cut = Array.from(base).slice(0, TITLE_LIMIT - suffix.length).join("").trimEnd();
  return { base: cut, title: cut + suffix };
}

/** The next free title of a family: the base itself, or the base with the number after the highest one in use. */
export function nextTitle(r: Reader, title: string): string {
  const base = titleBase(title);
  let number = highestNumber(r, base) + 1;
  if (number === 1) return base;
  for (;;) {
    const next = numbered(base, number);
    // A cut base is another family, which may have used the number.
    const free = Math.max(number, highestNumber(r, next.base) + 1);
    if (free === number) return next.title;
    number = free;
  }
}
