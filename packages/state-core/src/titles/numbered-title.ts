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

/**
 * The next free title of a family: the base itself, or the base with the number after the highest one in use. A base
 * that leaves no room for the number is cut.
 */
export function nextTitle(r: Reader, title: string): string {
  const base = titleBase(title);
  const highest = Math.max(0, ...titleFamily(r, base).map((member) => member.number));
  if (highest === 0) return base;
  const suffix = ` #${highest + 1}`;
  const cut = Array.from(base).slice(0, TITLE_LIMIT - suffix.length).join("").trimEnd();
  return cut === base ? base + suffix : nextTitle(r, cut + suffix);
}
