import { isObject } from "../../state-jsonl/parse-record.js";
import type { ForeignFile, JsonLine } from "../foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "../foreign-format.js";
import type { ForeignParent, ForeignSession } from "../foreign-session.js";
import { objectOf, textOf } from "../json.js";
import { MessageTree } from "../message-tree.js";
import { notAnObject } from "../not-an-object.js";
import type { ClaudeLine } from "./claude-line.js";
import { claudeLine } from "./claude-line.js";
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

function isClaude(line: Readonly<Record<string, unknown>>): boolean {
  return ("sessionId" in line && "uuid" in line) || (line["type"] === "summary" && "leafUuid" in line);
}

function read(file: ForeignFile): ForeignTranscript {
  const { lines, problems } = file.lines();
  const tree = new MessageTree(lines.map(claudeLine).filter((line) => line !== undefined));
  const own = tree.nodes.filter((line) => replayOf(line) === undefined);
  const sessions = own.length === 0 ? [] : sessionsOf(file, lines, own, tree);
  return { sessions, problems: [...problems, ...notAnObject(lines)] };
}

/** A fork begins with a copy of the talk it left. */
function replayOf(line: ClaudeLine): string | undefined {
  return textOf(objectOf(line.json["forkedFrom"])["sessionId"]);
}

function sessionsOf(
  file: ForeignFile,
  lines: readonly JsonLine[],
  own: readonly ClaudeLine[],
  tree: MessageTree<ClaudeLine>,
): ForeignSession[] {
  const id = own.map(({ json }) => textOf(json["sessionId"])).findLast((value) => value !== undefined);
  if (id === undefined) return [];
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
  const last = tree.pathTo(main[0]?.parent).at(-1);
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
