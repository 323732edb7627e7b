import type { SourceLine } from "../lines/line-reader.js";
import type { ImportProblem } from "./import-reader.js";

/** The JSON value of a line, or what is wrong with it. */
export type ParsedLine = { readonly value: unknown } | { readonly problem: ImportProblem };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

const SPACE = 0x20;
const NO_BREAK_SPACE = 0xa0;

/** True for a line with nothing but white space. */
export function isBlank(line: SourceLine): boolean {
  const { bytes, length } = line;
  // Most lines begin with what is no space.
  if (bytes === undefined || length >= 1024 || (length > 0 && (bytes[0] ?? 0) > SPACE && bytes[0] !== NO_BREAK_SPACE)) {
    return false;
  }
  return bytes.toString("latin1").trim() === "";
}

/**
 * Parses a line. A last line without its newline that does not parse is a cut file, and says so (POR-02).
 *
 * @param maxBytes - The limit that a skipped line exceeded, for the message.
 * @param parse - Reads JSON; throws SyntaxError for what is none.
 */
export function parseLine(
  line: SourceLine,
  maxBytes: number,
  parse: (text: string) => unknown = JSON.parse,
): ParsedLine {
  const at = { line: line.number };
  if (!line.bytes) {
    const message = `the line has ${line.length} bytes; at most ${maxBytes} are read`;
    return { problem: { ...at, code: "STATE_E_IMPORT_LIMIT", message } };
  }
  try {
    return { value: parse(decoder.decode(line.bytes)) };
  } catch (error) {
    if (!line.terminated) {
      return {
        problem: { ...at, code: "STATE_E_IMPORT_TRUNCATED", message: "the file ends in the middle of this line" },
      };
    }
    const reason = error instanceof SyntaxError ? error.message : "the bytes are not UTF-8";
    return { problem: { ...at, code: "STATE_E_IMPORT_SYNTAX", message: `not valid JSON: ${reason}` } };
  }
}
