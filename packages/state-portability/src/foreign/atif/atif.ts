import type { ContentPart, JsonObject, MessageContent } from "@hermes/state-core";
import { isObject } from "../../state-jsonl/parse-record.js";
import { derivedId } from "../derived-id.js";
import type { ForeignFile } from "../foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "../foreign-format.js";
import type { ForeignMessage, ForeignParent, ForeignSession, ForeignUsage } from "../foreign-session.js";
import { countOf, isoSeconds, listOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import { markUnanswered } from "../mark-unanswered.js";
import { contentOfParts, imagePart, textPart } from "../parts.js";

/** Trajectories in the Agent Trajectory Interchange Format: one object, its steps in order. */
export const ATIF: ForeignFormat = {
  name: "atif",
  recognises: ({ text }) => /"schema_version"\s*:\s*"ATIF-v1\./.test(text),
  read,
};

function read(file: ForeignFile): ForeignTranscript {
  const document = file.document();
  if ("problem" in document) return { sessions: [], problems: [document.problem] };
  const root = objectOf(document.value);
  const sessions = sessionsOf(root, undefined, file.name);
  if (sessions.length > 0) return { sessions, problems: [] };
  return { sessions, problems: [{ line: 1, code: "STATE_E_IMPORT_SHAPE", message: "the trajectory has no steps" }] };
}

function sessionsOf(root: Json, parent: ForeignParent | undefined, fileName: string): ForeignSession[] {
  // Copied context was told in the file before this one.
  const steps = listOf(root["steps"])
    .filter(isObject)
    .filter((step) => step["is_copied_context"] !== true);
  const messages = steps.flatMap(messagesOf);
  if (messages.length === 0) return [];
  const agent = objectOf(root["agent"]);
  const given = textOf(root["trajectory_id"]) ?? textOf(root["session_id"]);
  const id = given ?? `atif-${derivedId(fileName, JSON.stringify(steps[0]))}`;
  const session: ForeignSession = {
    id,
    derivedId: given === undefined,
    line: 1,
    model: textOf(agent["model_name"]),
    startedSeconds: messages.find(({ seconds }) => seconds !== undefined)?.seconds,
    parent,
    messages: markUnanswered(messages),
    usage: steps.map((step) => usageOf(step, agent)).filter((usage) => usage !== undefined),
    extra: extraOf(root, agent),
  };
  const children = listOf(root["subagent_trajectories"])
    .filter(isObject)
    .flatMap((child) => {
      const after = steps.find((step) => refersTo(step, child["trajectory_id"]));
      return sessionsOf(child, { id, relation: "delegate", after: after && uidOf(after) }, fileName);
    });
  return [session, ...children];
}

function uidOf(step: Json): string {
  return `step-${String(step["step_id"])}`;
}

/** A step is a reply with its calls, and one message for each result. */
function messagesOf(step: Json): readonly ForeignMessage[] {
  const uid = uidOf(step);
  const seconds = isoSeconds(step["timestamp"]);
  const { source } = step;
  const calls = listOf(step["tool_calls"])
    .map(objectOf)
    .map((call) => ({
      id: textOf(call["tool_call_id"]) ?? "",
      name: textOf(call["function_name"]) ?? "unknown",
      arguments: JSON.stringify(call["arguments"] ?? {}),
    }));
  const said: ForeignMessage = {
    uid,
    role: source === "agent" ? "assistant" : source === "user" ? "user" : "system",
    content: contentOf(step["message"]),
    seconds,
    toolCalls: calls,
    reasoning: textOf(step["reasoning_content"]),
  };
  const results = listOf(objectOf(step["observation"])["results"])
    .map(objectOf)
    .map((result, index): ForeignMessage => {
      const toolCallId = textOf(result["source_call_id"]);
      const toolName = calls.find(({ id }) => id === toolCallId)?.name;
      return {
        uid: `${uid}-result-${index}`,
        role: "tool",
        content: contentOf(result["content"]),
        seconds,
        toolCallId,
        toolName,
      };
    });
  return [said, ...results];
}

function contentOf(value: unknown): MessageContent {
  if (typeof value === "string") return value;
  return contentOfParts(listOf(value).map(objectOf).map(partOf));
}

function partOf(part: Json): ContentPart {
  const { type, text, source } = part;
  if (type === "text" && typeof text === "string") return textPart(text);
  const path = textOf(objectOf(source)["path"]);
  return type === "image" && path !== undefined ? imagePart(path) : (part as ContentPart);
}

function refersTo(step: Json, trajectory: unknown): boolean {
  const results = listOf(objectOf(step["observation"])["results"]).map(objectOf);
  const refs = results.flatMap((result) => listOf(result["subagent_trajectory_ref"])).map(objectOf);
  return refs.some((ref) => trajectory !== undefined && ref["trajectory_id"] === trajectory);
}

function usageOf(step: Json, agent: Json): ForeignUsage | undefined {
  if (!isObject(step["metrics"])) return undefined;
  const metrics = step["metrics"];
  const cached = countOf(metrics["cached_tokens"]);
  const cost = metrics["cost_usd"];
  return {
    model: textOf(step["model_name"]) ?? textOf(agent["model_name"]) ?? "unknown",
    inputTokens: Math.max(0, countOf(metrics["prompt_tokens"]) - cached),
    outputTokens: countOf(metrics["completion_tokens"]),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsd: typeof cost === "number" && Number.isFinite(cost) ? cost : null,
  };
}

/** What says more of a run than columns hold; unknown keys are kept. */
function extraOf(root: Json, agent: Json): JsonObject {
  const { steps, subagent_trajectories: _children, ...rest } = root;
  return { ...rest, agent, step_count: listOf(steps).length } as JsonObject;
}
