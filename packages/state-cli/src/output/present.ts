import { isoTime } from "@hermes/state-core";

const SECONDS = "Seconds";

/** A moment for people: `2026-03-01 10:00Z`, or `unknown`. */
export function shortTime(seconds: unknown): string {
  const iso = isoTime(seconds);
  return iso === undefined ? "unknown" : `${iso.slice(0, 10)} ${iso.slice(11, 16)}Z`;
}

/**
 * A row as scripts get it: beside every `xxxSeconds` stands `xxx` in ISO-8601 UTC. Nested rows and lists are followed;
 * `content` is what was stored and stays as it is.
 */
export function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const shown: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key.endsWith(SECONDS) && key !== SECONDS && (typeof item === "number" || item === null)) {
      shown[key.slice(0, -SECONDS.length)] = isoTime(item) ?? null;
    }
    shown[key] = OPAQUE.has(key) ? item : present(item);
  }
  return shown;
}

/** What users and programs wrote; its keys are theirs. */
const OPAQUE: ReadonlySet<string> = new Set([
  "content",
  "toolCalls",
  "modelConfig",
  "displayMetadata",
  "reasoningDetails",
  "codexReasoningItems",
  "codexMessageItems",
]);
