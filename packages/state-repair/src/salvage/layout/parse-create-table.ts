/** What the text of a CREATE TABLE says about the order of columns. */
export interface ParsedTable {
  readonly columns: readonly string[];
  /** The column declared INTEGER PRIMARY KEY. */
  readonly rowidColumn: string | undefined;
}

const CONSTRAINT = /^(?:PRIMARY\s+KEY|FOREIGN\s+KEY|UNIQUE|CHECK|CONSTRAINT)\b/i;
const NAME =
  /^(?:"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|'((?:[^']|'')+)'|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*))/;
const QUOTES: Readonly<Record<string, string | undefined>> = { '"': '"', "'": "'", "`": "`", "[": "]" };

/** Behind a quoted name or text, or a comment; `at` itself when neither begins there. */
function skipQuoted(sql: string, at: number): number {
  if (sql.startsWith("--", at)) return endOf(sql, "\n", at);
  if (sql.startsWith("/*", at)) return endOf(sql, "*/", at + 2);
  const close = QUOTES[sql[at] ?? ""];
  return close === undefined ? at : endOf(sql, close, at + 1);
}

function endOf(sql: string, text: string, from: number): number {
  const found = sql.indexOf(text, from);
  return found < 0 ? sql.length : found + text.length;
}

function withoutComments(part: string): string {
  return part.replace(/--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\//g, " ").trim();
}

/** Splits what stands between the outermost parentheses at its commas. */
function splitBody(sql: string): readonly string[] | undefined {
  const open = sql.indexOf("(");
  if (open < 0) return undefined;
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < sql.length; at += 1) {
    const behind = skipQuoted(sql, at);
    if (behind > at) {
      at = behind - 1;
      continue;
    }
    if (sql[at] === "(") depth += 1;
    else if (sql[at] === ")") depth -= 1;
    if (depth === 0 || (depth === 1 && sql[at] === ",")) {
      parts.push(sql.slice(start, at));
      start = at + 1;
    }
    if (depth === 0) return parts;
  }
  return undefined;
}

/**
 * Reads the column names of a CREATE TABLE text in their order, as the file's records have them.
 *
 * @returns Undefined when the text is not that of a table with columns.
 */
export function parseCreateTable(sql: string): ParsedTable | undefined {
  if (!/^\s*CREATE\s+TABLE\b/i.test(sql)) return undefined;
  const columns: string[] = [];
  let rowidColumn: string | undefined;
  for (const part of (splitBody(sql) ?? []).map(withoutComments)) {
    if (CONSTRAINT.test(part)) continue;
    const found = NAME.exec(part);
    if (!found) return undefined;
    const name = found.slice(1).find(Boolean) ?? "";
    columns.push(name);
    if (/^\s+INTEGER\s+PRIMARY\s+KEY\b(?!\s+DESC)/i.test(part.slice(found[0].length))) rowidColumn = name;
  }
  return columns.length === 0 ? undefined : { columns, rowidColumn };
}
