import { isObject } from "../../state-jsonl/parse-record.js";
import type { ImportProblem } from "../../import/import-reader.js";
import { chainedUids } from "../chained-uids.js";
import type { ForeignFile } from "../foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "../foreign-format.js";
import type { ForeignSession } from "../foreign-session.js";
import { listOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import { markUnanswered } from "../mark-unanswered.js";
import { linesOrDocument } from "../lines-or-document.js";
import { OpeningIds } from "../opening-ids.js";
import { isMessageList, leadingSystem, openaiMessages } from "./openai-messages.js";

/** One talk of a file, and the line in which it stands. */
interface Talk {
  readonly line: number;
  readonly messages: readonly Json[];
  readonly id: string | undefined;
  readonly tools: readonly unknown[];
}

/** Message lists of the chat-completions API: one array, or a line for each, bare or under `messages`. */
export const OPENAI: ForeignFormat = {
  name: "openai",
  recognises: ({ lines, text }) =>
    lines.some((line) => talkOf(line, 1) !== undefined) || /^\[\s*\{\s*"role"\s*:\s*"/.test(text),
  read,
};

function talkOf(value: unknown, line: number): Talk | undefined {
  if (isMessageList(value)) return { line, messages: value, id: undefined, tools: [] };
  if (!isObject(value) || !isMessageList(value["messages"])) return undefined;
  return { line, messages: value["messages"], id: idOf(value), tools: listOf(value["tools"]) };
}

function idOf(talk: Json): string | undefined {
  return textOf(talk["id"]) ?? textOf(objectOf(talk["metadata"])["id"]);
}

function read(file: ForeignFile): ForeignTranscript {
  const { lines, problems } = linesOrDocument(file, (value) => (talkOf(value, 1) ? [value] : listOf(value)));
  const talks = lines.map(({ value, number }) => talkOf(value, number) ?? shape(number));
  const found = talks.filter((talk): talk is Talk => "messages" in talk);
  const bad = talks.filter((talk): talk is ImportProblem => !("messages" in talk));
  const nothing = lines.length === 0 && problems.length === 0 ? [shape(1)] : [];
  return { sessions: sessionsOf(file, found), problems: [...problems, ...bad, ...nothing] };
}

function sessionsOf(file: ForeignFile, talks: readonly Talk[]): ForeignSession[] {
  const openings = new OpeningIds("openai", file.name);
  return talks.map(({ line, messages, id, tools }): ForeignSession => {
    const all = chainedUids(openaiMessages(messages));
    const opening = openings.next(all);
    return {
      id: id ?? opening,
      derivedId: id === undefined,
      line,
      systemPrompt: leadingSystem(messages),
      messages: markUnanswered(all),
      usage: [],
      ...(tools.length > 0 && { extra: { tools: tools as [] } }),
    };
  });
}

function shape(line: number): ImportProblem {
  return { line, code: "STATE_E_IMPORT_SHAPE", message: "there is no list of messages with roles" };
}
