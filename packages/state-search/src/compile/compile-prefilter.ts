import { likeEscape } from "@hermes/state-core";
import type { QueryNode, TermAtom, TermNode } from "../language/query.js";
import { allSql, ALWAYS, anySql, type SqlCondition } from "./sql-condition.js";

/** The widest condition that is handed to the engine, whose expressions may not grow without end. */
const MOST_ALTERNATIVES = 24;
const MOST_REQUIRED = 6;
const DEEPEST = 8;

const ASCII = /^[\0-\x7f]*$/;
const LONGEST_PATTERN = 256;

const COLUMNS = ["m.content", "m.tool_name", "m.tool_calls"] as const;

function condition(sql: string, ...params: string[]): SqlCondition {
  return { sql, params };
}

/** Holds more or other bytes than characters the engine counts: text beyond ASCII, or a NUL. */
function notPlain(column: string): SqlCondition {
  return condition(`length(${column}) <> octet_length(${column})`);
}

/** Stored JSON says its characters in escapes, and a blob is not compared as text: neither can be looked into. */
function opaque(column: (typeof COLUMNS)[number]): readonly SqlCondition[] {
  const blob = condition(`typeof(${column}) = 'blob'`);
  if (column === "m.tool_calls") return [condition(`instr(${column}, '\\u') > 0`), blob];
  return column === "m.content" ? [condition(`(${column} < char(1) AND ${column} <> '')`), blob] : [blob];
}

/** One character of an emoji that no selector or joiner can stand inside of. */
function firstPicture(atom: TermAtom): string {
  return String.fromCodePoint(atom.text.codePointAt(0) ?? 0);
}

/** A run or an emoji is in the text byte by byte. */
function exactAtoms(column: string, atoms: readonly TermAtom[]): SqlCondition {
  return allSql(
    atoms
      .slice(0, MOST_REQUIRED)
      .map((atom) => condition(`instr(${column}, ?) > 0`, atom.kind === "run" ? atom.text : firstPicture(atom))),
  );
}

function likeAtoms(column: string, atoms: readonly TermAtom[]): SqlCondition {
  return allSql(
    atoms
      .slice(0, MOST_REQUIRED)
      .map((atom) => condition(`${column} LIKE ? ESCAPE '\\'`, `%${likeEscape(atom.text.slice(0, LONGEST_PATTERN))}%`)),
  );
}

/**
 * A word of ASCII letters is found by LIKE, which folds them, in text that is plain; a letter with a diacritic or a NUL
 * hides it from LIKE, so other text always passes. A word with other letters only stands in other text.
 */
function termInColumn(term: TermNode, column: (typeof COLUMNS)[number]): SqlCondition {
  const exact = term.atoms.filter((atom) => atom.kind !== "word");
  if (exact.length > 0) return anySql([exactAtoms(column, exact), ...opaque(column)]);
  const plain = term.atoms.every((atom) => ASCII.test(atom.text));
  const found = plain ? [likeAtoms(column, term.atoms)] : [];
  return anySql([...found, notPlain(column), ...opaque(column)]);
}

function compile(node: QueryNode, depth: number): SqlCondition {
  if (depth > DEEPEST) return ALWAYS;
  switch (node.type) {
    case "term":
      return anySql(COLUMNS.map((column) => termInColumn(node, column)));
    case "and":
      // What must not be there is left to the judge: a candidate that LIKE finds may still not hold the word.
      return allSql(node.all.slice(0, MOST_REQUIRED).map((member) => compile(member, depth + 1)));
    case "or":
      if (node.any.length > MOST_ALTERNATIVES) return ALWAYS;
      return anySql(node.any.map((member) => compile(member, depth + 1)));
  }
}

/**
 * Compiles a tree to a condition on `messages AS m` that every message which answers the query fulfils. It runs inside
 * the engine and spares the judge most of the store; NULL cells make it unknown, never false for another column.
 */
export function compilePrefilter(root: QueryNode): SqlCondition {
  return compile(root, 0);
}
