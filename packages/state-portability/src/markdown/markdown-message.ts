import { contentText, decodeContent, decodeToolCalls, isoTime, toolCallParts, visibleText } from "@hermes/state-core";
import type { MessageContent } from "@hermes/state-core";
import type { Cell, RawRow } from "../rows/raw-row.js";
import { otherParts, partType } from "../rows/other-parts.js";
import { cellText, sqlCell } from "../rows/view-message.js";
import { settleMarkdown } from "./settle-markdown.js";

const LONGEST_SHOWN_TYPE = 80;

/** A fenced block whose fence is longer than any in the text. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}\n`;
}

/** A name within a line. */
export function oneLine(text: string): string {
  return visibleText(text).replace(/\s*\n\s*/g, " ");
}

/** Ids beyond 2^53 arrive as bigint. */
function idText(cell: Cell | undefined): string {
  return typeof cell === "number" || typeof cell === "bigint" ? cell.toString() : "unknown";
}

function heading(row: RawRow): string {
  const role = settleMarkdown(oneLine(cellText(row["role"]))) || "unknown";
  const tool = row["tool_name"] ? ` ${settleMarkdown(oneLine(cellText(row["tool_name"])))}` : "";
  const state =
    row["active"] === 0 ? " · archived by compaction" : row["_compressed_summary"] === 1 ? " · summary" : "";
  return `## ${role}${tool} · ${isoTime(row["timestamp"]) ?? "time unknown"}${state}\n`;
}

/** Parts that are no text: named, not shown. */
function attachments(content: MessageContent | undefined): string[] {
  return otherParts(content).map((part) => `*[${oneLine(partType(part)).slice(0, LONGEST_SHOWN_TYPE)}]*\n`);
}

function toolCalls(row: RawRow): string[] {
  return (decodeToolCalls(sqlCell(row["tool_calls"])) ?? []).map((call) => {
    const { name = "unknown", arguments: args = JSON.stringify(call) } = toolCallParts(call);
    return `Tool call \`${oneLine(name).replaceAll("`", "'")}\`:\n\n${fenced(visibleText(args), "json")}`;
  });
}

function reasoning(row: RawRow): string[] {
  const text = cellText(row["reasoning"]) || cellText(row["reasoning_content"]);
  if (text === "") return [];
  return [`<details><summary>Reasoning</summary>\n\n${fenced(visibleText(text))}\n</details>\n`];
}

/**
 * One message as Markdown: an anchor that stays the same for the life of the store, a heading, and what was said.
 * Output of tools is fenced; text of people and models is Markdown already, and ends where it ends.
 */
export function markdownMessage(row: RawRow): string {
  const content = decodeContent(sqlCell(row["content"]));
  const text = visibleText(contentText(content));
  const body =
    row["role"] === "tool" && text !== ""
      ? fenced(text)
      : text === ""
        ? ""
        : `${settleMarkdown(text).replace(/\n+$/, "")}\n`;
  const parts = [heading(row), ...reasoning(row), body, ...attachments(content), ...toolCalls(row)];
  const shown = parts.filter((part) => part !== "").join("\n");
  return `<a id="message-${idText(row["id"])}"></a>\n\n${shown}`;
}
