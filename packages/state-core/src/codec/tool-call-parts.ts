import type { JsonValue } from "./json-value.js";

/** What a stored tool call asks for, as far as it says so. */
export interface ToolCallParts {
  readonly name: string | undefined;
  /** The arguments as text: verbatim where they were stored as text, else as JSON; undefined when there are none. */
  readonly arguments: string | undefined;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/**
 * Reads name and arguments of one tool call, in the nested spelling of chat APIs (`function: { name, arguments }`) or
 * the flat one (`name`, `arguments` or `input`). For showing a call, not for running it.
 */
export function toolCallParts(call: JsonValue): ToolCallParts {
  const outer = asObject(call);
  const inner = "function" in outer ? asObject(outer["function"]) : outer;
  const given = inner["arguments"] ?? inner["input"];
  return {
    name: typeof inner["name"] === "string" ? inner["name"] : undefined,
    arguments:
      typeof given === "string" || given === undefined || given === null ? (given ?? undefined) : JSON.stringify(given),
  };
}
