import { contentText, decodeContent } from "@hermes/state-core";
import type { SqlValue } from "@hermes/state-schema";
import { indexedPrefix } from "./indexed-prefix.js";
import type { TextCells } from "./message-row.js";
import { toolCallTexts } from "./tool-call-texts.js";

const utf8 = new TextDecoder();

function textOf(cell: SqlValue): string {
  if (typeof cell === "string") return cell;
  if (cell instanceof Uint8Array) return utf8.decode(cell);
  return cell === null ? "" : String(cell);
}

/**
 * What a search reads of a message: its text, the text parts of structured content, the tool's name, the names and
 * arguments of tool calls. Never stored JSON (SEA-05, SEA-17). A phrase stands in one of the texts.
 *
 * @param wholeToolOutput - Read a tool row beyond the indexed prefix; done when the tool role is asked for (SEA-07).
 */
export function messageTexts(cells: TextCells, wholeToolOutput: boolean): readonly string[] {
  const content = contentText(decodeContent(textOf(cells.content)));
  const bounded = cells.role === "tool" && !wholeToolOutput ? indexedPrefix(content) : content;
  const calls = cells.toolCalls === null ? [] : toolCallTexts(textOf(cells.toolCalls));
  return [bounded, textOf(cells.toolName), ...calls].filter((text) => text !== "");
}
