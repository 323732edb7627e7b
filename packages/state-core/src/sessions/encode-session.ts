import { TABLES } from "@hermes/state-schema";
import { isJsonObject } from "../codec/json-object.js";
import type { JsonObject } from "../codec/json-value.js";
import { pythonJson } from "../codec/python-json.js";
import { rowKey } from "../codec/row-decoder.js";
import { checkSeconds } from "../codec/seconds.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { addressPrompt } from "./prompts.js";
import type { AddressedPrompt } from "./prompts.js";
import type { SessionFields } from "./session-fields.js";

/** Columns of `sessions` that hold plain text given at creation. */
export const SESSION_TEXT_COLUMNS = [
  "user_id",
  "session_key",
  "chat_id",
  "chat_type",
  "thread_id",
  "display_name",
  "origin_json",
  "model",
  "parent_session_id",
  "cwd",
  "git_branch",
  "git_repo_root",
  "profile_name",
  "transport_profile",
] as const;

/** One of {@link SESSION_TEXT_COLUMNS}. */
export type SessionTextColumn = (typeof SESSION_TEXT_COLUMNS)[number];

/** Checked fields of a session, by column. */
export interface EncodedSession {
  readonly id: string;
  readonly source: string;
  readonly startedAt: number;
  /** Plain text columns; what is not given is null. */
  readonly text: Record<SessionTextColumn, string | null>;
  readonly config: JsonObject;
  readonly prompt: AddressedPrompt | undefined;
  readonly toolNames: string | null;
  readonly title: string | undefined;
}

const KEY_OF = new Map(TABLES.sessions.columns.map((column) => [column.name, rowKey(column) as keyof SessionFields]));

const KNOWN: readonly (keyof SessionFields)[] = [
  "id",
  "source",
  ...SESSION_TEXT_COLUMNS.map((column) => KEY_OF.get(column) as keyof SessionFields),
  "modelConfig",
  "systemPrompt",
  "startedAtSeconds",
  "toolNames",
  "title",
];

function optionalText(fields: SessionFields, key: keyof SessionFields): string | null {
  const value = fields[key] ?? null;
  if (value !== null && typeof value !== "string") {
    throw new TypeError(`session.${key} must be a string, not ${typeof value}.`);
  }
  return value;
}

function requiredText(fields: SessionFields, key: "id" | "source"): string {
  const value = optionalText(fields, key);
  if (value === null || value === "") throw new TypeError(`session.${key} must be a non-empty string.`);
  return value;
}

function encodeConfig(config: unknown): JsonObject {
  if (config === undefined || config === null) return {};
  if (!isJsonObject(config)) throw new TypeError("session.modelConfig must be an object.");
  return config;
}

/**
 * Encodes a list of tool names as `tool_names` holds it.
 *
 * @throws TypeError for anything but a list of strings, null or undefined.
 */
export function encodeToolNames(what: string, names: unknown): string | null {
  if (names === undefined || names === null) return null;
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return pythonJson(names);
  throw new TypeError(`${what} must be a list of strings.`);
}

/**
 * Checks the fields of a session.
 *
 * @param id - The id it gets when the fields name none.
 * @param now - The start it gets when the fields name none, in REAL seconds.
 * @throws TypeError for an unknown key or a wrong type. StateError `STATE_E_BAD_TIMESTAMP`.
 */
export function encodeSession(fields: SessionFields, id: () => string, now: number): EncodedSession {
  checkKnownOptions("session", fields, KNOWN);
  const prompt = optionalText(fields, "systemPrompt");
  const { startedAtSeconds } = fields;
  return {
    id: fields.id === undefined ? id() : requiredText(fields, "id"),
    source: requiredText(fields, "source"),
    startedAt: startedAtSeconds === undefined ? now : checkSeconds("session.startedAtSeconds", startedAtSeconds),
    text: Object.fromEntries(
      SESSION_TEXT_COLUMNS.map((column) => [column, optionalText(fields, KEY_OF.get(column) as keyof SessionFields)]),
    ) as Record<SessionTextColumn, string | null>,
    config: encodeConfig(fields.modelConfig),
    prompt: addressPrompt(prompt),
    toolNames: encodeToolNames("session.toolNames", fields.toolNames),
    title: optionalText(fields, "title") ?? undefined,
  };
}
