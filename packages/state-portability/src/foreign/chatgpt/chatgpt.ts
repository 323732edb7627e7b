import type { ImportProblem } from "../../import/import-reader.js";
import { isObject } from "../../state-jsonl/parse-record.js";
import type { ForeignFile } from "../foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "../foreign-format.js";
import type { ForeignSession } from "../foreign-session.js";
import { objectOf, textOf, unixSeconds } from "../json.js";
import type { Json } from "../json.js";
import { MessageTree } from "../message-tree.js";
import { treePaths, whereTold } from "../tree-paths.js";
import type { ChatNode } from "./chatgpt-messages.js";
import { chatMessages } from "./chatgpt-messages.js";

/** The data export of ChatGPT: conversations as trees of nodes. */
export const CHATGPT: ForeignFormat = {
  name: "chatgpt",
  paths: "kept",
  recognises: ({ text }) => /"mapping"\s*:\s*\{/.test(text) && /"(?:current_node|parent|children)"\s*:/.test(text),
  read,
};

function read(file: ForeignFile): ForeignTranscript {
  const document = file.document();
  if ("problem" in document) return { sessions: [], problems: [document.problem] };
  const talks = Array.isArray(document.value) ? (document.value as unknown[]) : [document.value];
  const good = talks.filter((talk): talk is Json => lackOf(talk) === undefined);
  const problems = talks.flatMap((talk, index): ImportProblem[] => {
    const lack = lackOf(talk);
    const message = `conversation ${index + 1} of ${talks.length} has no ${lack ?? ""}`;
    return lack === undefined ? [] : [{ line: 1, code: "STATE_E_IMPORT_SHAPE", message }];
  });
  return { sessions: good.flatMap(sessionsOf), problems };
}

/** What a conversation needs and does not have. */
function lackOf(talk: unknown): "mapping" | "id" | undefined {
  if (!isObject(talk) || !isObject(talk["mapping"])) return "mapping";
  return idOf(talk) === undefined ? "id" : undefined;
}

function idOf(talk: Json): string | undefined {
  return textOf(talk["conversation_id"]) ?? textOf(talk["id"]);
}

function sessionsOf(talk: Json): ForeignSession[] {
  const id = idOf(talk) ?? "";
  const nodes = Object.entries(objectOf(talk["mapping"])).map(([key, value]): ChatNode => {
    const { parent, message } = objectOf(value);
    return { id: key, parent: textOf(parent), message: isObject(message) ? message : undefined };
  });
  const tree = new MessageTree(nodes);
  const paths = treePaths(tree, currentOf(talk, tree));
  const ids = paths.map(({ nodes: [first] }, index) => (index === 0 ? id : `${id}.branch-${first?.id ?? ""}`));
  const sessions = paths.map(({ nodes: path, from, after }, index): ForeignSession => {
    const messages = chatMessages(path);
    return {
      id: ids[index] ?? id,
      line: 1,
      model: path.map(modelOf).findLast((model) => model !== undefined) ?? textOf(talk["default_model_slug"]),
      startedSeconds: index === 0 ? unixSeconds(talk["create_time"]) : messages[0]?.seconds,
      messages,
      usage: [],
      ...(index === 0 && { title: textOf(talk["title"]), titleSource: "llm" }),
      ...(index > 0 && {
        parent: { id: ids[whereTold(paths, from, told)] ?? id, relation: "branch", after: after?.id },
      }),
    };
  });
  return sessions.filter(({ messages }) => messages.length > 0);
}

/** The shown leaf; without one that exists, the entry with the latest message. */
function currentOf(talk: Json, tree: MessageTree<ChatNode>): string | undefined {
  const current = textOf(talk["current_node"]);
  if (current !== undefined && tree.get(current)) return current;
  const time = ({ message }: ChatNode): number => unixSeconds(message?.["create_time"]) ?? 0;
  return tree.nodes.toSorted((a, b) => time(a) - time(b)).at(-1)?.id;
}

function told({ message }: ChatNode): unknown {
  return message;
}

function modelOf({ message }: ChatNode): string | undefined {
  return textOf(objectOf(message?.["metadata"])["model_slug"]);
}
