import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { ImportProblem } from "../import/import-reader.js";
import { isBlank, parseLine } from "../import/parse-line.js";
import { LineReader } from "../lines/line-reader.js";

/** The longest line that is parsed: a message with pictures in it. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** One line that holds JSON. */
export interface JsonLine {
  /** Counted from 1. */
  readonly number: number;
  readonly value: unknown;
}

/** A file of JSON lines: what could be parsed and what could not. */
export interface JsonLines {
  readonly lines: readonly JsonLine[];
  readonly problems: readonly ImportProblem[];
}

/** A source file as a format reads it. */
export interface ForeignFile {
  /** Its name without the folder. */
  readonly name: string;
  /** Path of its folder, for formats that look at the neighbours' names. */
  readonly path: string;
  lines(): JsonLines;
  /** The file as one JSON value. */
  document(): { readonly value: unknown } | { readonly problem: ImportProblem };
}

/** Opens a file for a format. It is read when it is asked for, and closed before the answer. */
export function foreignFile(path: string, name: string = basename(path)): ForeignFile {
  return { name, path, lines: () => readLines(path), document: () => readDocument(path) };
}

function readLines(path: string): JsonLines {
  using reader = new LineReader(path, MAX_LINE_BYTES);
  const lines: JsonLine[] = [];
  const problems: ImportProblem[] = [];
  for (let line = reader.next(); line; line = reader.next()) {
    if (isBlank(line)) continue;
    const parsed = parseLine(line, MAX_LINE_BYTES);
    if ("problem" in parsed) problems.push(parsed.problem);
    else lines.push({ number: line.number, value: parsed.value });
  }
  return { lines, problems };
}

function readDocument(path: string): { readonly value: unknown } | { readonly problem: ImportProblem } {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path))) };
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
    const reason = error instanceof SyntaxError ? error.message : "the bytes are not UTF-8";
    return { problem: { line: 1, code: "STATE_E_IMPORT_SYNTAX", message: `not valid JSON: ${reason}` } };
  }
}
