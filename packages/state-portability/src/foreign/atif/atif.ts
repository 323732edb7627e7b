import type { ContentPart, JsonObject, MessageContent } from "@hermes/state-core";
import type { ImportProblem } from "../../import/import-reader.js";
import { exactJson } from "../../lines/exact-json.js";
import { isObject } from "../../state-jsonl/parse-record.js";
import { derivedId } from "../derived-id.js";
import type { ForeignFile } from "../foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "../foreign-format.js";
import type { ForeignMessage, ForeignParent, ForeignSession, ForeignUsage } from "../foreign-session.js";
import { countOf, isoSeconds, listOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import { markUnanswered } from "../mark-unanswered.js";
import { contentOfParts, imagePart, textPart } from "../parts.js";

const UID_DIGITS = 12;

/** Keys of a step that a message, its calls, its results or the usage hold. */
const TOLD: ReadonlySet<string> = new Set([
  "step_id",
  "source",
  "message",
  "timestamp",
  "tool_calls",
  "observation",
  "metrics",
  "reasoning_content",
  "is_copied_context",
]);

/** Trajectories in the Agent Trajectory Interchange Format: one object, its steps in order. */
export const ATIF: ForeignFormat = {
  name: "atif",
  paths: "kept",
  recognises: ({ text }) => /"schema_version"\s*:\s*"ATIF-v1\./.test(text),
  read,
};

function read(file: ForeignFile): ForeignTranscript {
  const document = file.document();
  if ("problem" in document) return { sessions: [], problems: [document.problem] };
  const root = objectOf(document.value);
  const problems = listOf(root["steps"]).flatMap((step, index) =>
    isObject(step) ? [] : [shape(`step ${index + 1} is no object`)],
  );
  const sessions = sessionsOf(root, undefined, file.name);
  return { sessions, problems: sessions.length > 0 ? problems : [...problems, shape("the trajectory has no steps")] };
}

function shape(message: string): ImportProblem {
  return { line: 1, code: "STATE_E_IMPORT_SHAPE", message };
}

/** A subagent that is embedded; its run's id is the parent's, too, so only an id of its own is one. */
interface Embedded {
  readonly parent: ForeignParent;
  readonly index: number;
}

function sessionsOf(root: Json, embedded: Embedded | undefined, fileName: string): ForeignSession[] {
  // Copied context was told in the file before this one.
  const steps = listOf(root["steps"])
    .filter(isObject)
    .filter((step) => step["is_copied_context"] !== true);
  const agent = objectOf(root["agent"]);
  const given = textOf(root["trajectory_id"]) ?? (embedded ? undefined : textOf(root["session_id"]));
  const id = given ?? madeId(embedded, fileName, steps);
  const messages = steps.flatMap((step, index) => messagesOf(step, uidOf(step, index)));
  if (messages.length === 0) return [];
  const session: ForeignSession = {
    id,
    derivedId: given === undefined,
    line: 1,
    model: textOf(agent["model_name"]),
    startedSeconds: messages.find(({ seconds }) => seconds !== undefined)?.seconds,
    parent: embedded?.parent,
    messages: markUnanswered(messages),
    usage: steps.map((step) => usageOf(step, agent)).filter((usage) => usage !== undefined),
    extra: extraOf(root, agent),
  };
  const children = listOf(root["subagent_trajectories"])
    .filter(isObject)
    .flatMap((child, index) => {
      const at = steps.findIndex((step) => refersTo(step, child["trajectory_id"]));
      const step = steps[at];
      const parent: ForeignParent = { id, relation: "delegate", after: step && uidOf(step, at) };
      return sessionsOf(child, { parent, index }, fileName);
    });
  return [session, ...children];
}

function madeId(embedded: Embedded | undefined, fileName: string, steps: readonly Json[]): string {
  if (embedded) return `${embedded.parent.id}.agent-${embedded.index + 1}`;
  return `atif-${derivedId(fileName, exactJson(steps[0]))}`;
}

/** A file that goes on with a run counts its steps from 1 again, so the number alone does not name a step. */
function uidOf(step: Json, index: number): string {
  const number = step["step_id"];
  const says = exactJson([step["source"], step["message"] ?? null]);
  return `step-${typeof number === "number" ? number : index + 1}-${derivedId(says).slice(0, UID_DIGITS)}`;
}

/** A step is a reply with its calls, and one message for each result. */
function messagesOf(step: Json, uid: string): readonly ForeignMessage[] {
  const seconds = isoSeconds(step["timestamp"]);
  const { source } = step;
  const calls = listOf(step["tool_calls"])
    .map(objectOf)
    .map((call, index) => ({
      id: textOf(call["tool_call_id"]) ?? `call-${uid}-${index}`,
      name: textOf(call["function_name"]) ?? "unknown",
      arguments: exactJson(call["arguments"] ?? {}),
    }));
  const said: ForeignMessage = {
    uid,
    role: source === "agent" ? "assistant" : source === "user" ? "user" : "system",
    content: contentOf(step["message"]),
    seconds,
    toolCalls: calls,
    reasoning: textOf(step["reasoning_content"]),
    ...metadataOf(moreOf(step)),
  };
  const results = listOf(objectOf(step["observation"])["results"])
    .map(objectOf)
    .map((result, index): ForeignMessage => {
      const toolCallId = textOf(result["source_call_id"]);
      const toolName = calls.find(({ id }) => id === toolCallId)?.name;
      const { source_call_id: _id, content, ...more } = result;
      return {
        uid: `${uid}-result-${index}`,
        role: "tool",
        content: contentOf(content),
        seconds,
        toolCallId,
        toolName,
        ...metadataOf(more),
      };
    });
  return [said, ...results];
}

/** What a step says beyond what a message holds, unknown keys too; numbers of tokens are in the usage. */
function moreOf(step: Json): Json {
  const more = Object.fromEntries(Object.entries(step).filter(([key]) => !TOLD.has(key)));
  const { extra: metricsExtra } = objectOf(step["metrics"]);
  const calls = listOf(step["tool_calls"])
    .map(objectOf)
    .filter(({ extra }) => extra !== undefined);
  const callsExtra = Object.fromEntries(calls.map(({ tool_call_id: id, extra }) => [String(id), extra]));
  return {
    ...more,
    ...(metricsExtra !== undefined && { metrics_extra: metricsExtra }),
    ...(calls.length > 0 && { tool_calls_extra: callsExtra }),
  };
}

function metadataOf(more: Json): Pick<ForeignMessage, "metadata"> {
  return Object.keys(more).length > 0 ? { metadata: { atif: more as JsonObject } } : {};
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
