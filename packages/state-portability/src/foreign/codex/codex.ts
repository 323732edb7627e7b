import type { ImportProblem } from "../../import/import-reader.js";
import { isObject } from "../../state-jsonl/parse-record.js";
import type { ForeignFile } from "../foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "../foreign-format.js";
import type { ForeignParent, ForeignSession } from "../foreign-session.js";
import { isoSeconds, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import { markUnanswered } from "../mark-unanswered.js";
import { notAnObject } from "../not-an-object.js";
import type { CodexLine } from "./codex-line.js";
import { codexLine, ownPart } from "./codex-line.js";
import { codexTalk } from "./codex-messages.js";
import { codexUsage } from "./codex-usage.js";

/** Rollouts of Codex: a file per thread, a line per event, in the order of the lines. */
export const CODEX: ForeignFormat = {
  name: "codex",
  copies: "uid",
  paths: "rewritten",
  recognises: ({ lines }) =>
    lines.some((line) => isObject(line) && isObject(line["payload"]) && TYPES.has(line["type"])),
  read,
};

/** Types of lines that only this program writes. */
const TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
]);

/** Where the line that holds the id is damaged, the file's name tells it. */
const ID_IN_NAME = /rollout-.*?-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:_|\.jsonl)/i;

/** Of the name of its first message, enough to tell a branch from others of the thread. */
const BRANCH_DIGITS = 12;

const WITHOUT_ID: ImportProblem = {
  line: 1,
  code: "STATE_E_IMPORT_SHAPE",
  message: "no session_meta with the id of the thread",
};

function read(file: ForeignFile): ForeignTranscript {
  const { lines, problems } = file.lines();
  const all = lines.map(codexLine).filter((line) => line !== undefined);
  const meta = all.find(({ type }) => type === "session_meta")?.payload;
  const id = textOf(meta?.["id"]) ?? ID_IN_NAME.exec(file.baseName)?.[1];
  if (id === undefined) return { sessions: [], problems: [...problems, ...notAnObject(lines), WITHOUT_ID] };
  return { sessions: sessionsOf(id, meta ?? {}, all), problems: [...problems, ...notAnObject(lines)] };
}

function sessionsOf(id: string, meta: Json, all: readonly CodexLine[]): ForeignSession[] {
  const own = ownPart(all, id, textOf(meta["forked_from_id"]));
  const { messages, branches, counted } = codexTalk(own);
  const context = all.findLast(({ type }) => type === "turn_context")?.payload;
  const shared = {
    line: own.lines[0]?.line ?? 1,
    model: textOf(context?.["model"]),
    cwd: textOf(context?.["cwd"]) ?? textOf(meta["cwd"]),
    gitBranch: textOf(objectOf(meta["git"])["branch"]),
  };
  const thread: ForeignSession = {
    ...shared,
    id,
    title: titleOf(own.lines),
    titleSource: "llm",
    systemPrompt: textOf(objectOf(meta["base_instructions"])["text"]) ?? textOf(meta["instructions"]),
    startedSeconds: isoSeconds(meta["timestamp"]),
    parent: parentOf(meta),
    messages: markUnanswered(messages, isAnswered),
    usage: codexUsage(own.lines, counted),
  };
  const left = branches.map((branch): ForeignSession => ({
    ...shared,
    id: `${id}.branch-${(branch.messages[0]?.uid ?? "").slice(0, BRANCH_DIGITS)}`,
    startedSeconds: branch.messages[0]?.seconds,
    parent: { id, relation: "branch", after: branch.after },
    messages: markUnanswered(branch.messages, isAnswered),
    usage: [],
  }));
  return [thread, ...left].filter((session) => session.messages.length > 0);
}

/** A call without an id of its own is done by the provider, and nothing in the file answers it. */
function isAnswered(callId: string): boolean {
  return !callId.startsWith("unnamed-");
}

function titleOf(lines: readonly CodexLine[]): string | undefined {
  const renamed = lines.findLast(({ kind }) => kind === "thread_name_updated")?.payload;
  return textOf(renamed?.["thread_name"]) ?? textOf(renamed?.["name"]);
}

function parentOf(meta: Json): ForeignParent | undefined {
  const spawn = objectOf(objectOf(objectOf(meta["source"])["subagent"])["thread_spawn"]);
  const caller = textOf(spawn["parent_thread_id"]) ?? textOf(meta["parent_thread_id"]);
  if (caller !== undefined) return { id: caller, relation: "delegate" };
  const origin = textOf(meta["forked_from_id"]);
  return origin === undefined ? undefined : { id: origin, relation: "branch" };
}
