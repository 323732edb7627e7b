import type { ContentPart, JsonValue, MessageContent } from "@hermes/state-core";
import type { ForeignMessage } from "../foreign-session.js";
import { listOf, objectOf, textOf, unixSeconds } from "../json.js";
import type { Json } from "../json.js";
import type { TreeNode } from "../message-tree.js";
import { markUnanswered } from "../mark-unanswered.js";
import { contentOfParts, imagePart, textPart } from "../parts.js";

/** One node of a conversation's mapping. */
export interface ChatNode extends TreeNode {
  readonly message: Json | undefined;
}

const REASONING: ReadonlySet<unknown> = new Set(["thoughts", "reasoning_recap"]);

/** Messages along a path; thoughts go with the reply that follows them. */
export function chatMessages(path: readonly ChatNode[]): readonly ForeignMessage[] {
  const messages: ForeignMessage[] = [];
  let thoughts: string[] = [];
  let thinker: { uid: string; seconds: number | undefined } | undefined;
  let call: { id: string; name: string } | undefined;
  for (const { id: uid, message } of path) {
    if (message === undefined) continue;
    const author = objectOf(message["author"]);
    const content = objectOf(message["content"]);
    const seconds = unixSeconds(message["create_time"]);
    const hidden = objectOf(message["metadata"])["is_visually_hidden_from_conversation"] === true;
    const to = textOf(message["recipient"]);
    if (REASONING.has(content["content_type"])) {
      thoughts.push(...thoughtsOf(content));
      thinker ??= { uid, seconds };
    } else if (author["role"] === "assistant" && to !== undefined && to !== "all") {
      call = { id: `call-${uid}`, name: to };
      const calls = [{ ...call, arguments: plainOf(content) }];
      messages.push({ uid, role: "assistant", content: null, seconds, toolCalls: calls, ...reasoning() });
    } else if (author["role"] === "tool") {
      const answer = { toolCallId: call?.id, toolName: textOf(author["name"]) ?? call?.name };
      messages.push({ uid, role: "tool", content: contentOf(content), seconds, ...answer });
    } else if (author["role"] === "assistant") {
      messages.push({ uid, role: "assistant", content: contentOf(content), seconds, ...reasoning() });
    } else if (!(hidden && plainOf(content) === "")) {
      const role = author["role"] === "system" ? "system" : "user";
      messages.push({
        uid,
        role,
        content: contentOf(content),
        seconds,
        ...filesOf(message),
        ...(hidden && { notice: true }),
      });
    }
  }
  // The answer was stopped while the model was thinking.
  if (thinker && thoughts.length > 0) messages.push({ ...thinker, role: "assistant", content: null, ...reasoning() });
  return markUnanswered(messages);

  function reasoning(): { reasoning?: string } {
    const said = thoughts.join("\n\n");
    thoughts = [];
    thinker = undefined;
    return said === "" ? {} : { reasoning: said };
  }
}

function thoughtsOf(content: Json): string[] {
  const thoughts = listOf(content["thoughts"]).map(objectOf);
  const texts = thoughts.flatMap(({ summary, content: text }) => textOf(text) ?? textOf(summary) ?? []);
  return texts.length > 0 ? texts : [textOf(content["content"]) ?? ""].filter((text) => text !== "");
}

/** Files that were given along, by what the export tells of them. */
function filesOf(message: Json): Pick<ForeignMessage, "metadata"> {
  const files = listOf(objectOf(message["metadata"])["attachments"]);
  return files.length > 0 ? { metadata: { attachments: files as readonly JsonValue[] } } : {};
}

/** The text of a content, whatever its kind. */
function plainOf(content: Json): string {
  const parts = listOf(content["parts"]).filter((part) => typeof part === "string");
  return parts.length > 0 ? parts.join("\n\n") : (textOf(content["text"]) ?? textOf(content["result"]) ?? "");
}

function contentOf(content: Json): MessageContent {
  const parts = listOf(content["parts"]);
  if (!parts.every((part) => typeof part === "string")) return contentOfParts(parts.flatMap(partOf));
  const text = plainOf(content);
  const { content_type: type, title, url, ...rest } = content;
  // A quotation says where it is from; of a kind without any text the whole stays.
  if (textOf(url) !== undefined) return [textOf(title), textOf(url), text].filter(Boolean).join("\n");
  if (text !== "" || parts.length > 0 || Object.keys(rest).length === 0) return text;
  return [{ ...rest, type: textOf(type) ?? "unknown" }];
}

/** A picture stays a reference: the file beside the export may be anywhere. */
function partOf(part: unknown): readonly ContentPart[] {
  if (typeof part === "string") return part === "" ? [] : [textPart(part)];
  const asset = textOf(objectOf(part)["asset_pointer"]);
  return asset === undefined ? [{ type: "unknown", ...objectOf(part) }] : [imagePart(asset)];
}
