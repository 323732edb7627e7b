import { FTS_TABLE, INDEXED_TOOL_CHARACTERS, type PendingBackfill } from "@hermes/state-schema";
import { anySql, type SqlCondition } from "./sql-condition.js";

/** Escapes of JSON that end in a letter: what follows looks like one token with it (`\nword`). */
const LETTER_ESCAPES = ["\\n", "\\t", "\\r", "\\b", "\\f", "\\u"];

function plain(sql: string): SqlCondition {
  return { sql, params: [] };
}

function notAscii(column: string): SqlCondition {
  return plain(`length(${column}) <> octet_length(${column})`);
}

function notIndexed(table: string, pending: PendingBackfill | undefined): readonly SqlCondition[] {
  const absent = plain(`NOT EXISTS (SELECT 1 FROM ${table}_docsize AS size WHERE size.id = m.id)`);
  if (pending === undefined) return [absent];
  return [{ sql: "(m.id > ? AND m.id <= ?)", params: [pending.progress, pending.highWater] }, absent];
}

/**
 * The messages whose words the word index may not know: text beyond ASCII, where one token can hold several words
 * (`修改youer服务端`); a NUL, behind which older indexes saw nothing; stored JSON with escapes; bytes; and what is not
 * indexed yet. For all others a match of the index is a superset of the answer.
 *
 * @param wholeToolOutput - Tool output counts beyond the prefix that is indexed.
 */
export function wordIrregular(pending: PendingBackfill | undefined, wholeToolOutput: boolean): SqlCondition {
  const long = plain(`(m.role = 'tool' AND octet_length(m.content) > ${INDEXED_TOOL_CHARACTERS})`);
  return anySql([
    notAscii("m.content"),
    notAscii("m.tool_name"),
    notAscii("m.tool_calls"),
    plain("typeof(m.content) = 'blob'"),
    ...LETTER_ESCAPES.map((escape) => plain(`instr(m.tool_calls, '${escape}') > 0`)),
    ...(wholeToolOutput ? [long] : []),
    ...notIndexed(FTS_TABLE.word, pending),
  ]);
}

/**
 * The messages whose runs the trigram index may not know: those it does not admit, stored JSON and text with a NUL,
 * tool calls, bytes, and what is not indexed yet.
 */
export function trigramIrregular(pending: PendingBackfill | undefined): SqlCondition {
  return anySql([
    plain("m.tool_calls IS NOT NULL"),
    plain("instr(m.content, char(0)) > 0"),
    plain("instr(m.tool_name, char(0)) > 0"),
    plain("typeof(m.content) = 'blob'"),
    ...notIndexed(FTS_TABLE.trigram, pending),
  ]);
}
