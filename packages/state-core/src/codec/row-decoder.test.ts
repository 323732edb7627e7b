import { TABLES } from "@hermes/state-schema";
import { describe, expect, it } from "vitest";
import { MESSAGE_DECODER } from "../messages/message-decoder.js";
import type { MessageRow } from "../messages/message-row.js";
import { SESSION_DECODER } from "../sessions/session-decoder.js";
import type { SessionRow } from "../sessions/session-row.js";
import { RowDecoder } from "./row-decoder.js";

/** Every key of the types, so that the compiler refuses a list that misses one. */
const SESSION_KEYS: Record<Exclude<keyof SessionRow, "damaged">, true> = {
  id: true,
  source: true,
  createdSource: true,
  userId: true,
  sessionKey: true,
  chatId: true,
  chatType: true,
  threadId: true,
  displayName: true,
  originJson: true,
  expiryFinalized: true,
  model: true,
  modelConfig: true,
  systemPromptHash: true,
  parentSessionId: true,
  startedAtSeconds: true,
  endedAtSeconds: true,
  endReason: true,
  messageCount: true,
  toolCallCount: true,
  inputTokens: true,
  outputTokens: true,
  cacheReadTokens: true,
  cacheWriteTokens: true,
  reasoningTokens: true,
  cwd: true,
  gitBranch: true,
  gitRepoRoot: true,
  gitMetadataGeneration: true,
  billingProvider: true,
  billingBaseUrl: true,
  billingMode: true,
  estimatedCostUsd: true,
  actualCostUsd: true,
  costStatus: true,
  costSource: true,
  pricingVersion: true,
  title: true,
  titleSource: true,
  lastActivityAtSeconds: true,
  lastActivityDescription: true,
  lastActivityProvenance: true,
  apiCallCount: true,
  handoffState: true,
  handoffPlatform: true,
  handoffError: true,
  compressionFailureCooldownUntilSeconds: true,
  compressionFailureError: true,
  compressionFallbackStreak: true,
  compressionIneffectiveCount: true,
  compressionRecoveryDeadlineSeconds: true,
  compressionOverloadStreak: true,
  profileName: true,
  transportProfile: true,
  rewindCount: true,
  archived: true,
  autoArchived: true,
  pinned: true,
  hidden: true,
  lastReadAtSeconds: true,
};

const MESSAGE_KEYS: Record<Exclude<keyof MessageRow, "damaged">, true> = {
  id: true,
  sessionId: true,
  role: true,
  content: true,
  toolCallId: true,
  toolCalls: true,
  toolName: true,
  effectDisposition: true,
  timestampSeconds: true,
  tokenCount: true,
  finishReason: true,
  reasoning: true,
  reasoningContent: true,
  reasoningDetails: true,
  codexReasoningItems: true,
  codexMessageItems: true,
  platformMessageId: true,
  observed: true,
  compressedSummary: true,
  active: true,
  compacted: true,
  apiContent: true,
  displayKind: true,
  displayMetadata: true,
  messageUid: true,
  absorbedMessageUids: true,
  toolCallUids: true,
  toolCallUid: true,
};

describe("rows decoded by the table model", () => {
  it("SCH-01 sessions and messages have exactly the keys of their types", () => {
    expect(SESSION_DECODER.keys).toEqual(Object.keys(SESSION_KEYS));
    expect(MESSAGE_DECODER.keys).toEqual(Object.keys(MESSAGE_KEYS));
    expect(SESSION_DECODER.columns).toHaveLength(TABLES.sessions.columns.length - 2);
    expect(MESSAGE_DECODER.columns).toHaveLength(TABLES.messages.columns.length - 2);
  });

  it("P28 a damaged cell becomes undefined and is named; its neighbours are whole", () => {
    type Row = Record<string, unknown> & { damaged: readonly string[] };
    const decoder = new RowDecoder<Row>(TABLES.session_model_usage);
    const cells = decoder.columns.map((column) => {
      if (column === "model") return new Uint8Array([1]);
      if (column === "input_tokens") return "many";
      if (column === "output_tokens") return 2 ** 60;
      if (column === "first_seen") return 5.49e246;
      if (column === "last_seen") return 12.5;
      return column === "estimated_cost_usd" ? 0.25 : null;
    });
    const row = decoder.decode(cells);
    const damaged = ["model", "inputTokens", "outputTokens", "firstSeenSeconds"];
    expect([...row.damaged].sort()).toEqual([...damaged].sort());
    for (const key of damaged) expect(row[key]).toBeUndefined();
    expect(row).toMatchObject({ lastSeenSeconds: 12.5, estimatedCostUsd: 0.25, sessionId: null });
    expect(decoder.decode(decoder.columns.map(() => null)).damaged).toEqual([]);
  });
});
