import type { JsonObject } from "@hermes/state-core";
import { exactJson, parseExactJson } from "../../lines/exact-json.js";
import { isObject } from "../../state-jsonl/parse-record.js";
import type { ImportProblem } from "../../import/import-reader.js";
import { chainedUids } from "../chained-uids.js";
import type { ForeignFile } from "../foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "../foreign-format.js";
import type { ForeignMessage, ForeignSession } from "../foreign-session.js";
import { listOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import { markUnanswered } from "../mark-unanswered.js";
import { linesOrDocument } from "../lines-or-document.js";
import { OpeningIds } from "../opening-ids.js";

type Role = ForeignMessage["role"];

const ROLES: ReadonlyMap<string, Role> = new Map(
  Object.entries({
    human: "user",
    user: "user",
    gpt: "assistant",
    assistant: "assistant",
    chatgpt: "assistant",
    bing: "assistant",
    bard: "assistant",
    function_call: "assistant",
    observation: "tool",
    tool: "tool",
    system: "system",
  } as const),
);

/** Conversations of training data: lists of `from` and `value`. */
export const SHAREGPT: ForeignFormat = {
  name: "sharegpt",
  recognises: ({ lines, text }) =>
    lines.some((line) => isObject(line) && Array.isArray(line["conversations"])) ||
    (/^\s*\[/.test(text) && /"conversations"\s*:\s*\[/.test(text) && /"(?:from|role)"\s*:/.test(text)),
  read,
};

function read(file: ForeignFile): ForeignTranscript {
  const { lines, problems } = linesOrDocument(file, itemsOf);
  const openings = new OpeningIds("sharegpt", file.name);
  const talks = lines.map(({ number, value }) => {
    const items = listOf(objectOf(value)["conversations"]);
    return items.length > 0 && items.every(isObject)
      ? sessionOf(number, objectOf(value), items, openings)
      : shape(number);
  });
  return {
    sessions: talks.filter((talk): talk is ForeignSession => "messages" in talk),
    problems: [
      ...problems,
      ...talks.filter((talk): talk is ImportProblem => !("messages" in talk)),
      ...(lines.length === 0 && problems.length === 0 ? [shape(1)] : []),
    ],
  };
}

function itemsOf(document: unknown): readonly unknown[] {
  return Array.isArray(document) ? document : [document];
}

function sessionOf(line: number, talk: Json, items: readonly Json[], openings: OpeningIds): ForeignSession {
  const messages = chainedUids(draftsOf(items));
  const given = textOf(talk["id"]);
  const opening = openings.next(messages);
  const { conversations: _items, id: _id, system: _system, ...extra } = talk;
  return {
    id: given ?? opening,
    derivedId: given === undefined,
    line,
    systemPrompt: textOf(items.find(({ from }) => from === "system")?.["value"]) ?? textOf(talk["system"]),
    messages: markUnanswered(messages),
    usage: [],
    extra: extra as JsonObject,
  };
}

/** A result answers the call just before it. */
function draftsOf(items: readonly Json[]): readonly Omit<ForeignMessage, "uid">[] {
  let call: { id: string; name: string } | undefined;
  return items.map((item, index): Omit<ForeignMessage, "uid"> => {
    const from = textOf(item["from"]) ?? textOf(item["role"]) ?? "";
    const value = said(item["value"] ?? item["content"]);
    const role = ROLES.get(from) ?? "user";
    if (from === "function_call") {
      const { name, text } = readCall(value);
      call = { id: `call-${index}`, name };
      return { role, content: null, toolCalls: [{ ...call, arguments: text }] };
    }
    if (role === "tool") return { role, content: value, toolCallId: call?.id, toolName: call?.name };
    return { role, content: value };
  });
}

function said(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : exactJson(value);
}

function readCall(value: string): { name: string; text: string } {
  try {
    const call: unknown = parseExactJson(value);
    if (!isObject(call) || call["name"] === undefined) return { name: "unknown", text: value };
    const { name, arguments: given } = call;
    return { name: textOf(name) ?? "unknown", text: typeof given === "string" ? given : exactJson(given ?? {}) };
  } catch {
    // Data sets hold calls that are no JSON: the text is the call.
    return { name: "unknown", text: value };
  }
}

function shape(line: number): ImportProblem {
  return { line, code: "STATE_E_IMPORT_SHAPE", message: "there is no list of conversations with from and value" };
}
