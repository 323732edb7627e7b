import type { JsonObject, JsonValue, MessageContent } from "@hermes/state-core";
import type { ExportCodec } from "../export/export-codec.js";
import type { SessionDocument } from "../export/session-document.js";
import { cellText } from "../rows/view-message.js";
import type { ViewedMessage } from "../rows/view-message.js";
import { exportableMessages } from "./exportable-messages.js";

/** One step as it is being put together: results follow their calls. */
interface Step {
  readonly source: "system" | "user" | "agent";
  readonly message: MessageContent;
  readonly timestamp: string | undefined;
  readonly calls: ViewedMessage["calls"];
  readonly reasoning: string;
  readonly results: { source_call_id?: string; content: JsonValue }[];
}

/** Trajectories in the Agent Trajectory Interchange Format: a line for each, so one session is one file (POR-04). */
export const atifCodec: ExportCodec = {
  format: "atif",
  mediaType: "application/json",
  extension: ".json",
  losses: [
    "Rewound and archived messages, and messages hidden from display, are left out.",
    "Token counts and costs are told for the whole trajectory, not by step.",
    "A result stands in the step of its call, so results of later turns keep their order only by call.",
  ],
  begin: () => [],
  *session(document) {
    const losses: Record<string, number> = {};
    const steps = stepsOf(exportableMessages(document, losses));
    yield `${JSON.stringify(head(document)).slice(0, -1)},"steps":[`;
    for (const [index, step] of steps.entries()) {
      yield `${index > 0 ? "," : ""}${JSON.stringify(spell(step, index + 1))}`;
    }
    yield `],"final_metrics":${JSON.stringify(metrics(document, steps.length))}}\n`;
    return losses;
  },
  end: () => [],
};

function head({ id, session }: SessionDocument): JsonObject {
  const model = cellText(session["model"]);
  return {
    schema_version: "ATIF-v1.7",
    session_id: id,
    trajectory_id: id,
    agent: {
      name: cellText(session["source"]) || "hermes",
      version: "unknown",
      ...(model !== "" && { model_name: model }),
    },
  };
}

function stepsOf(messages: Iterable<ViewedMessage>): readonly Step[] {
  const steps: Step[] = [];
  const caller = new Map<string, Step>();
  for (const message of messages) {
    if (message.role === "tool") {
      const answer = message.toolCallId === undefined ? undefined : caller.get(message.toolCallId);
      const result = { content: contentOf(message.content) };
      const step = answer ?? steps.at(-1);
      if (step) step.results.push(answer ? { source_call_id: message.toolCallId ?? "", ...result } : result);
      else steps.push({ ...stepOf(message), results: [result] });
      continue;
    }
    const step = stepOf(message);
    for (const { id } of step.calls) if (id !== undefined) caller.set(id, step);
    steps.push(step);
  }
  return steps;
}

function stepOf({ role, content, isoTime, calls, reasoning }: ViewedMessage): Step {
  const source = role === "assistant" ? "agent" : role === "user" ? "user" : "system";
  return { source, message: role === "tool" ? "" : content, timestamp: isoTime, calls, reasoning, results: [] };
}

/** Text, or the parts the format knows; others are named by their type. */
function contentOf(content: MessageContent): JsonValue {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === null ? "" : JSON.stringify(content);
  return (content as JsonObject[]).map((part): JsonObject => {
    if (part["type"] === "text") return { type: "text", text: part["text"] ?? "" };
    const address = part["image_url"];
    const url = typeof address === "object" && address !== null && "url" in address ? address["url"] : undefined;
    return typeof url === "string"
      ? { type: "image", source: { media_type: mediaTypeOf(url), path: url } }
      : { type: "text", text: JSON.stringify(part) };
  });
}

function mediaTypeOf(url: string): string {
  return /^data:([^;,]+)/.exec(url)?.[1] ?? "image/png";
}

function spell(step: Step, number: number): JsonObject {
  const { source, message, timestamp, calls, reasoning, results } = step;
  return {
    step_id: number,
    source,
    message: contentOf(message),
    ...(timestamp !== undefined && { timestamp }),
    ...(reasoning !== "" && source === "agent" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map((call, index) => spellCall(call, `call_${number}_${index}`)) }),
    ...(results.length > 0 && { observation: { results } }),
  };
}

function spellCall({ id, name, arguments: text }: ViewedMessage["calls"][number], otherwise: string): JsonObject {
  return { tool_call_id: id ?? otherwise, function_name: name, arguments: argumentsOf(text) };
}

/** The format wants an object. */
function argumentsOf(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : { value };
  } catch {
    // A model may write what is no JSON.
    return { text };
  }
}

function metrics({ session }: SessionDocument, steps: number): JsonObject {
  const count = (name: string): number => (typeof session[name] === "number" ? session[name] : 0);
  const cached = count("cache_read_tokens");
  return {
    total_prompt_tokens: count("input_tokens") + cached,
    total_completion_tokens: count("output_tokens"),
    total_cached_tokens: cached,
    total_cost_usd: count("actual_cost_usd") || count("estimated_cost_usd"),
    total_steps: steps,
  };
}
