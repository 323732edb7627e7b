import { createHash } from "node:crypto";
import {
  encodeContent,
  encodeDisplayMetadata,
  encodeJsonText,
  encodeToolCalls,
  sanitizeTitle,
} from "@hermes/state-core";
import type { JsonObject, JsonValue } from "@hermes/state-core";
import type { IncomingRow, IncomingSession, IncomingTranscript } from "../import/import-reader.js";
import { exactJson } from "../lines/exact-json.js";
import type { Cell, RawRow } from "../rows/raw-row.js";
import type { ForeignFormat } from "./foreign-format.js";
import type { ForeignMessage, ForeignParent, ForeignSession, ForeignToolCall } from "./foreign-session.js";
import type { SettledSession } from "./leave-out-copies.js";
import { storedUid } from "./stored-uid.js";
import { usageRows } from "./usage-rows.js";

/** Two messages without times of their own follow each other this closely, in seconds. */
const STEP = 1e-6;

const MARKER: Readonly<Record<ForeignParent["relation"], string | undefined>> = {
  branch: "_branched_from",
  delegate: "_delegate_from",
  continuation: undefined,
};

/** What a whole transcript holds, for the judgement of what left one of its sessions. */
export function transcriptOf(sessions: readonly ForeignSession[], format: ForeignFormat): IncomingTranscript {
  const told = format.paths === undefined ? [] : sessions;
  const uids = told.flatMap(({ messages }) => messages.map(({ uid }) => storedUid(format.name, uid)));
  const ids = new Set(sessions.map(({ id }) => id));
  return { thread: sessions[0]?.id ?? "", sessions: ids, uids: new Set(uids), keepsAll: format.paths === "kept" };
}

/**
 * A foreign session as rows of the store.
 *
 * @param format - Becomes the session's source.
 * @param now - Start of a session whose source has no times at all, in REAL seconds.
 */
export function toIncoming(session: SettledSession, format: string, now: number): IncomingSession {
  const started =
    session.startedSeconds ?? session.messages.find(({ seconds }) => seconds !== undefined)?.seconds ?? now;
  const prompt = session.systemPrompt?.toWellFormed();
  const hash = prompt === undefined ? null : createHash("sha256").update(prompt, "utf8").digest("hex");
  const { totals, models } = usageRows(session.usage);
  const messages = messageRows(session.messages, format, started);
  const row: RawRow = {
    ...sessionCells(session, format),
    ...totals,
    ...counters(session.messages),
    started_at: started,
    system_prompt_hash: hash,
    parent_session_id: session.parent?.id ?? null,
    model_config: modelConfig(session),
  };
  const usage = models.map((model): IncomingRow => ({ entity: "usage", row: model }));
  return {
    id: session.id,
    derivedId: session.derivedId ?? false,
    ...(session.wholeIn !== undefined && { wholeIn: session.wholeIn }),
    row,
    prompts: prompt === undefined || hash === null ? {} : { [hash]: prompt },
    messages: messages.length,
    children: [...messages, ...usage],
  };
}

function sessionCells(session: ForeignSession, format: string): RawRow {
  const title = titleOf(session.title);
  return {
    source: format,
    created_source: format,
    model: session.model ?? null,
    cwd: session.cwd ?? null,
    git_branch: session.gitBranch ?? null,
    title,
    title_source: title === null ? null : (session.titleSource ?? "derived"),
  };
}

/** A title that the store would refuse is no reason to refuse the talk. */
function titleOf(title: string | undefined): string | null {
  if (title === undefined) return null;
  const line = title.replace(/\s+/gu, " ").trim();
  try {
    return sanitizeTitle(Array.from(line).slice(0, 100).join(""));
  } catch {
    // Nothing in it can stand in a title: the session is listed by its first words instead.
    return null;
  }
}

function modelConfig({ parent, extra }: ForeignSession): string | null {
  const config: Record<string, JsonValue> = {};
  const marker = parent && MARKER[parent.relation];
  if (parent && marker) config[marker] = parent.id;
  if (parent?.after !== undefined) config["imported_after"] = parent.after;
  if (extra && Object.keys(extra).length > 0) config["imported"] = extra;
  return Object.keys(config).length === 0 ? null : exactJson(config);
}

function counters(messages: readonly ForeignMessage[]): RawRow {
  const active = messages.filter((message) => !message.compacted);
  const calls = active.reduce((sum, message) => sum + (message.toolCalls?.length ?? 0), 0);
  return { message_count: active.length, tool_call_count: calls };
}

function messageRows(messages: readonly ForeignMessage[], format: string, started: number): IncomingRow[] {
  let after = started - STEP;
  return messages.map((message): IncomingRow => {
    const timestamp = message.seconds ?? after + STEP;
    after = timestamp;
    return {
      entity: "message",
      row: { ...messageRow(message, timestamp), message_uid: storedUid(format, message.uid) },
    };
  });
}

function messageRow(message: ForeignMessage, timestamp: number): RawRow {
  return {
    role: message.role,
    content: encodeContent(message.content),
    timestamp,
    tool_calls: encodeToolCalls(message.toolCalls?.map(wireCall)).text,
    tool_call_id: message.toolCallId ?? null,
    tool_name: message.toolName ?? null,
    reasoning: message.reasoning ?? null,
    reasoning_details: jsonCell(message.reasoningDetails),
    codex_reasoning_items: jsonCell(message.reasoningItems),
    finish_reason: message.finishReason ?? null,
    display_kind: message.notice ? "notice" : null,
    display_metadata: encodeDisplayMetadata(message.metadata),
    _compressed_summary: message.summary ? 1 : 0,
    active: message.compacted ? 0 : 1,
    compacted: message.compacted ? 1 : 0,
  };
}

function wireCall({ id, name, arguments: text }: ForeignToolCall): JsonObject {
  return { id, type: "function", function: { name, arguments: text } };
}

function jsonCell(value: JsonValue | undefined): Cell {
  return value === undefined || value === null ? null : encodeJsonText(value);
}
