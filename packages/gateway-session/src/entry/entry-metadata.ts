import { isJsonObject, isSaneSeconds, type JsonObject, type JsonValue } from "@hermes/state-core";
import type { PendingProperties, RouteStep, RoutingEntry } from "./routing-entry.js";

/** Steps that are kept of a route. */
export const HISTORY_LIMIT = 20;

const PENDING = "hermes_state_pending";
const HISTORY = "hermes_state_history";
const FAILURES = "hermes_state_restart_failures";
const RESERVED: ReadonlySet<string> = new Set([PENDING, HISTORY, FAILURES]);

/** What an entry stores inside its metadata. */
type InMetadata = Pick<RoutingEntry, "metadata" | "pending" | "history" | "restartFailures">;

/** Whether a key of the metadata is kept for what an entry stores there by itself: a host must not set it. */
export function isReservedMetadataKey(key: string): boolean {
  return RESERVED.has(key);
}

function hostPart(metadata: JsonObject): JsonObject {
  const keys = Object.keys(metadata);
  if (!keys.some(isReservedMetadataKey)) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isReservedMetadataKey(key)));
}

/** Metadata as it is stored: peers hand every key of it on, so what only this program knows stands there. */
export function encodeMetadata(entry: InMetadata): JsonObject {
  const { title, hidden, pinned, archived } = entry.pending;
  const pending = {
    ...(title !== undefined && { title }),
    ...(hidden !== undefined && { hidden }),
    ...(pinned !== undefined && { pinned }),
    ...(archived !== undefined && { archived }),
  };
  const history = entry.history.slice(-HISTORY_LIMIT).map(encodeStep);
  return {
    ...hostPart(entry.metadata),
    ...(Object.keys(pending).length > 0 && { [PENDING]: pending }),
    ...(history.length > 0 && { [HISTORY]: history }),
    ...(entry.restartFailures > 0 && { [FAILURES]: entry.restartFailures }),
  };
}

function encodeStep(step: RouteStep): JsonObject {
  return {
    at: step.atSeconds,
    what: step.what,
    session_id: step.sessionId,
    ...(step.previousSessionId !== undefined && { previous: step.previousSessionId }),
    ...(step.why !== undefined && { why: step.why }),
  };
}

function decodeStep(json: JsonValue): RouteStep[] {
  if (!isJsonObject(json)) return [];
  const { at, what, session_id: sessionId, previous, why } = json;
  if (!isSaneSeconds(at) || typeof what !== "string" || typeof sessionId !== "string") return [];
  return [
    {
      atSeconds: at,
      what,
      sessionId,
      ...(typeof previous === "string" && { previousSessionId: previous }),
      ...(typeof why === "string" && { why }),
    },
  ];
}

function decodePending(json: JsonValue | undefined): PendingProperties {
  if (!isJsonObject(json)) return {};
  const { title, hidden, pinned, archived } = json;
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof hidden === "boolean" && { hidden }),
    ...(typeof pinned === "boolean" && { pinned }),
    ...(typeof archived === "boolean" && { archived }),
  };
}

/** Reads metadata. What is no object is none. */
export function decodeMetadata(json: JsonValue | undefined): InMetadata {
  if (!isJsonObject(json)) return { metadata: {}, pending: {}, history: [], restartFailures: 0 };
  const stored = json[HISTORY];
  const failures = json[FAILURES];
  const history = Array.isArray(stored) ? (stored as readonly JsonValue[]).flatMap(decodeStep) : [];
  return {
    metadata: hostPart(json),
    pending: decodePending(json[PENDING]),
    history: history.slice(-HISTORY_LIMIT),
    restartFailures: typeof failures === "number" && Number.isSafeInteger(failures) && failures > 0 ? failures : 0,
  };
}
