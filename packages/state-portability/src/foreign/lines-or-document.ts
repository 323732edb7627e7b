import type { ForeignFile, JsonLines } from "./foreign-file.js";

/**
 * The values of a file that holds either one value or a value in each line.
 *
 * @param itemsOf - Takes the one value apart.
 */
export function linesOrDocument(file: ForeignFile, itemsOf: (document: unknown) => readonly unknown[]): JsonLines {
  const document = file.document();
  if ("value" in document)
    return { lines: itemsOf(document.value).map((value) => ({ number: 1, value })), problems: [] };
  const { lines, problems } = file.lines();
  // A damaged value that is spread over lines has hardly one that is a value of its own.
  const isSpread = problems.length > 1 && lines.every(({ value }) => typeof value !== "object");
  return isSpread || lines.length === 0 ? { lines: [], problems: [document.problem] } : { lines, problems };
}
