import type { ImportProblem } from "../import/import-reader.js";
import { isObject } from "../state-jsonl/parse-record.js";
import type { JsonLine } from "./foreign-file.js";

/** Lines that are JSON and still no record. */
export function notAnObject(lines: readonly JsonLine[]): ImportProblem[] {
  return lines
    .filter(({ value }) => !isObject(value))
    .map(({ number }) => ({ line: number, code: "STATE_E_IMPORT_SHAPE", message: "the line is not a JSON object" }));
}
