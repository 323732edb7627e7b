import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { ImportProblem } from "../import/import-reader.js";
import { isBlank, parseLine } from "../import/parse-line.js";
import { parseExactJson } from "../lines/exact-json.js";
import { LineReader } from "../lines/line-reader.js";
import { DEEPEST, isTooDeep } from "./depth.js";

/** The longest line that is parsed: a message with pictures in it. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
/** The largest file that is read as one value: a text of the runtime holds hardly more. */
const MAX_DOCUMENT_BYTES = 512 * 1024 * 1024 - 64;

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
  /** As the caller knows it, with its folder: what is named by it keeps its name while the file stays in its place. */
  readonly name: string;
  /** Its name without the folder. */
  readonly baseName: string;
  /** Path of its folder, for formats that look at the neighbours' names. */
  readonly path: string;
  lines(): JsonLines;
  /** The file as one JSON value. */
  document(): { readonly value: unknown } | { readonly problem: ImportProblem };
}

/** Opens a file for a format. It is read when it is asked for, and closed before the answer. */
export function foreignFile(path: string, name: string = path): ForeignFile {
  return { name, baseName: basename(name), path, lines: () => readLines(path), document: () => readDocument(path) };
}

function readLines(path: string): JsonLines {
  using reader = new LineReader(path, MAX_LINE_BYTES);
  const lines: JsonLine[] = [];
  const problems: ImportProblem[] = [];
  for (let line = reader.next(); line; line = reader.next()) {
    if (isBlank(line)) continue;
    const parsed = parseLine(line, MAX_LINE_BYTES, parseExactJson);
    if ("problem" in parsed) problems.push(parsed.problem);
    else if (isTooDeep(parsed.value)) problems.push(tooDeep(line.number));
    else lines.push({ number: line.number, value: parsed.value });
  }
  return { lines, problems };
}

function readDocument(path: string): { readonly value: unknown } | { readonly problem: ImportProblem } {
  const { size } = statSync(path);
  if (size > MAX_DOCUMENT_BYTES) {
    const message = `the file has ${size} bytes; at most ${MAX_DOCUMENT_BYTES} are read as one value`;
    return { problem: { line: 1, code: "STATE_E_IMPORT_LIMIT", message } };
  }
  const bytes = readFileSync(path);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { problem: { line: 1, code: "STATE_E_IMPORT_SYNTAX", message: "the bytes are not UTF-8" } };
  }
  try {
    const value = parseExactJson(text);
    return isTooDeep(value) ? { problem: tooDeep(1) } : { value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: notJson(text, error) };
  }
}

/** The line in which reading stopped: the engine tells the position, and nothing at the end of the text. */
function notJson(text: string, { message }: SyntaxError): ImportProblem {
  const end = text.trimEnd().length;
  const position = Math.min(end, Number(/at position (\d+)/.exec(message)?.[1] ?? end));
  const line = text.slice(0, position).split("\n").length;
  if (position < end) return { line, code: "STATE_E_IMPORT_SYNTAX", message: `not valid JSON: ${message}` };
  return { line, code: "STATE_E_IMPORT_TRUNCATED", message: "the file ends in the middle of its value" };
}

function tooDeep(line: number): ImportProblem {
  const message = `lists and objects lie more than ${DEEPEST} deep within each other`;
  return { line, code: "STATE_E_IMPORT_SHAPE", message };
}
