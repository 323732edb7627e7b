import type { ImportProblem } from "../../import/import-reader.js";
import { isObject } from "../../state-jsonl/parse-record.js";
import type { ForeignFile, JsonLine } from "../foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "../foreign-format.js";
import type { ForeignParent, ForeignSession } from "../foreign-session.js";
import { objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import { MessageTree } from "../message-tree.js";
import { notAnObject } from "../not-an-object.js";
import type { ClaudeLine } from "./claude-line.js";
import { claudeLines } from "./claude-line.js";
import { claudeTalk } from "./claude-messages.js";
import { claudeTitle } from "./claude-title.js";
import { delegatedBy, sidechains } from "./sidechains.js";
import { splitBranches } from "./split-branches.js";

/** Sessions of Claude Code: a file per session, a line per event, the order given by `parentUuid`. */
export const CLAUDE_CODE: ForeignFormat = {
  name: "claude-code",
  copies: "uid",
  paths: "kept",
  recognises: ({ lines }) => lines.some((line) => isObject(line) && isClaude(line)),
  read,
};

/** Lines that are no talk, by the field that only they have: a file may hold nothing else. */
const RECORDS: Readonly<Record<string, string>> = {
  summary: "leafUuid",
  "file-history-snapshot": "snapshot",
  "queue-operation": "operation",
  "last-prompt": "lastPrompt",
  "ai-title": "aiTitle",
  "custom-title": "customTitle",
};

function isClaude(line: Json): boolean {
  if ("uuid" in line && ("sessionId" in line || "parentUuid" in line)) return true;
  const { type } = line;
  return typeof type === "string" && Object.hasOwn(RECORDS, type) && String(RECORDS[type]) in line;
}

function read(file: ForeignFile): ForeignTranscript {
  const { lines, problems } = file.lines();
  const bad = [...problems, ...notAnObject(lines)];
  const id = sessionIdOf(lines) ?? NAME.exec(file.baseName)?.[1];
  const all = claudeLines(lines, id ?? "");
  const tree = new MessageTree(all);
  const own = tree.inOrder().filter((line) => replayOf(line) === undefined);
  if (id !== undefined) return { sessions: sessionsOf(id, lines, own, tree), problems: bad };
  return { sessions: [], problems: own.length === 0 ? bad : [...bad, WITHOUT_ID] };
}

/** A file is called as its session is. */
const NAME = /^(.+)\.jsonl$/;

const WITHOUT_ID: ImportProblem = { line: 1, code: "STATE_E_IMPORT_SHAPE", message: "no line names its session" };

/** Lines that were copied may still name the session they are from. */
function sessionIdOf(lines: readonly JsonLine[]): string | undefined {
  const records = lines.map(({ value }) => objectOf(value)).filter((record) => replayedFrom(record) === undefined);
  return records
    .filter((record) => "uuid" in record || "message" in record)
    .map(({ sessionId }) => textOf(sessionId))
    .findLast((value) => value !== undefined);
}

/** A fork begins with a copy of the talk it left. */
function replayOf(line: ClaudeLine): string | undefined {
  return replayedFrom(line.json);
}

function replayedFrom(record: Json): string | undefined {
  return textOf(objectOf(record["forkedFrom"])["sessionId"]);
}

function sessionsOf(
  id: string,
  lines: readonly JsonLine[],
  own: readonly ClaudeLine[],
  tree: MessageTree<ClaudeLine>,
): ForeignSession[] {
  const { main, branches } = splitBranches(
    own.filter(({ sidechain }) => !sidechain),
    tree,
  );
  const title = claudeTitle(lines, (uuid) => tree.get(uuid) !== undefined);
  const session = sessionOf(id, main, forkOf(tree, main));
  const left = branches.map(({ lines: path, after }) =>
    sessionOf(`${id}.branch-${path[0]?.id ?? ""}`, path, { id, relation: "branch", after: after?.id }),
  );
  const delegates = sidechains(own, tree).map((chain) =>
    sessionOf(`${id}.agent-${chain.key}`, chain.lines, {
      id,
      relation: "delegate",
      after: delegatedBy(chain, main)?.id,
    }),
  );
  return [{ ...session, ...title }, ...left, ...delegates].filter(({ messages }) => messages.length > 0);
}

function forkOf(tree: MessageTree<ClaudeLine>, main: readonly ClaudeLine[]): ForeignParent | undefined {
  const last = tree.nearest(main[0]?.parent, () => true);
  const from = last && replayOf(last);
  return from === undefined ? undefined : { id: from, relation: "branch", after: last?.id };
}

function sessionOf(id: string, lines: readonly ClaudeLine[], parent: ForeignParent | undefined): ForeignSession {
  const talk = claudeTalk(lines);
  const said = (name: string): string | undefined =>
    lines.map(({ json }) => textOf(json[name])).findLast((value) => value !== undefined);
  return {
    id,
    line: lines[0]?.line ?? 1,
    model: talk.model,
    cwd: said("cwd"),
    gitBranch: said("gitBranch"),
    startedSeconds: lines.find(({ seconds }) => seconds !== undefined)?.seconds,
    parent,
    messages: talk.messages,
    usage: talk.usage,
  };
}
