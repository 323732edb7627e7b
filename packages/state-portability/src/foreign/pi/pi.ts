import { isObject } from "../../state-jsonl/parse-record.js";
import type { ForeignFile, JsonLine } from "../foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "../foreign-format.js";
import type { ForeignMessage, ForeignParent, ForeignSession } from "../foreign-session.js";
import { isoSeconds, textOf } from "../json.js";
import type { Json } from "../json.js";
import { markUnanswered } from "../mark-unanswered.js";
import { MessageTree } from "../message-tree.js";
import { notAnObject } from "../not-an-object.js";
import { treePaths, whereTold } from "../tree-paths.js";
import type { PiEntry } from "./pi-entry.js";
import { currentLeaf, piEntries } from "./pi-entry.js";
import { piMessage, piUsage } from "./pi-messages.js";

const UUID_AT_END = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl/i;

/** Sessions of pi and of OpenClaw: a header, then a tree of entries. */
export const PI: ForeignFormat = {
  name: "pi",
  copies: "kin",
  paths: "kept",
  recognises: ({ lines }) => isHeader(lines[0]) || lines.some((line) => isObject(line) && isEntry(line)),
  read,
};

function isHeader(line: unknown): boolean {
  return isObject(line) && line["type"] === "session" && typeof line["id"] === "string" && !("row" in line);
}

function isEntry(line: Json): boolean {
  return line["type"] === "message" && "parentId" in line && isObject(line["message"]);
}

function read(file: ForeignFile): ForeignTranscript {
  const { lines, problems } = file.lines();
  const header = lines.find(({ value }) => isHeader(value))?.value as Json | undefined;
  const id = textOf(header?.["id"]) ?? UUID_AT_END.exec(file.baseName)?.[1];
  const sessions = id === undefined ? [] : sessionsOf(id, header ?? {}, lines);
  const headless =
    id === undefined ? [{ line: 1, code: "STATE_E_IMPORT_SHAPE" as const, message: "no session header" }] : [];
  return { sessions, problems: [...problems, ...notAnObject(lines), ...headless] };
}

function sessionsOf(id: string, header: Json, lines: readonly JsonLine[]): ForeignSession[] {
  const entries = piEntries(lines);
  const paths = treePaths(new MessageTree(entries), currentLeaf(entries));
  const ids = paths.map(({ nodes }, index) => (index === 0 ? id : `${id}.branch-${nodes[0]?.id ?? ""}`));
  const sessions = paths.map(({ nodes, from, after }, index): ForeignSession => {
    const parent: ForeignParent | undefined =
      index === 0
        ? originOf(header)
        : { id: ids[whereTold(paths, from, piMessage)] ?? id, relation: "branch", after: after?.id };
    return {
      id: ids[index] ?? id,
      line: nodes[0]?.line ?? 1,
      model: nodes.map(piUsage).findLast((usage) => usage !== undefined)?.model ?? textOf(header["modelId"]),
      cwd: textOf(header["cwd"]),
      startedSeconds: index === 0 ? isoSeconds(header["timestamp"]) : nodes[0]?.seconds,
      parent,
      messages: messagesOf(nodes),
      usage: nodes.map(piUsage).filter((usage) => usage !== undefined),
      ...(index === 0 && { title: nameOf(entries), titleSource: "user" }),
    };
  });
  return sessions.filter(({ messages }) => messages.length > 0);
}

/** After a compaction the model sees its summary and what was kept; what came before stays searchable. */
function messagesOf(path: readonly PiEntry[]): readonly ForeignMessage[] {
  const at = path.findLastIndex(({ type }) => type === "compaction");
  const kept = path.findIndex(({ id }) => id === path[at]?.json["firstKeptEntryId"]);
  const compactedUpTo = at < 0 ? 0 : kept < 0 ? at : kept;
  const messages = path.flatMap((entry, index) => {
    const message = piMessage(entry);
    return message ? [index < compactedUpTo ? { ...message, compacted: true } : message] : [];
  });
  return markUnanswered(messages);
}

function nameOf(entries: readonly PiEntry[]): string | undefined {
  return textOf(entries.findLast(({ type }) => type === "session_info")?.json["name"]);
}

/** The header names the file of the session it was forked from; its id stands at the end of the name. */
function originOf(header: Json): ForeignParent | undefined {
  const path = textOf(header["parentSession"]) ?? textOf(header["branchedFrom"]);
  const id = path === undefined ? undefined : UUID_AT_END.exec(path)?.[1];
  return id === undefined ? undefined : { id, relation: "branch" };
}
