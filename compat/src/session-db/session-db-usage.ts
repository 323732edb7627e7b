import { checkKnownOptions } from "@hermes/state-core";
import type { AuxiliaryUsage, UsageDelta } from "@hermes/state-core";
import type { Writer } from "@hermes/state-schema";
import { callArguments } from "./call-arguments.js";
import { flagOf } from "./flag-of.js";
import { given } from "./given.js";
import { numberArgument } from "./one-argument.js";
import type { Alone } from "./one-argument.js";
import { ifSessionExists } from "./quiet.js";
import { SessionDbTranscripts } from "./session-db-transcripts.js";

/** What was used. Amounts are added to what is stored; with `absolute` they take its place. */
export interface TokenCounts extends UsageDelta {
  readonly absolute?: boolean;
}

/** In the old order, behind the session's id. */
const COUNT_NAMES = [
  "inputTokens",
  "outputTokens",
  "model",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "estimatedCostUsd",
  "actualCostUsd",
  "costStatus",
  "costSource",
  "pricingVersion",
  "billingProvider",
  "billingBaseUrl",
  "billingMode",
  "apiCallCount",
  "absolute",
] as const;

/** The old program counted nothing where nothing was said; the parts count one call, or keep what is stored. */
const NOTHING = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  apiCallCount: 0,
};

/** Usage of work beside the conversation. */
export type AuxiliaryOptions = Omit<AuxiliaryUsage, "apiCallCount" | "actualCostUsd" | "costStatus" | "costSource">;

const AUXILIARY_NAMES: readonly (keyof AuxiliaryOptions)[] = [
  "model",
  "billingProvider",
  "billingBaseUrl",
  "billingMode",
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "estimatedCostUsd",
];

const FLUSH_SECONDS = 5;
const SET_META = `
  INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** The usage and the facts about the file of the one-object store. */
export abstract class SessionDbUsage extends SessionDbTranscripts {
  /** As {@link SessionDbUsage.updateTokenCounts}, a moment later; a failure to write never reaches the caller. */
  queueTokenCounts(sessionId: string, counts: TokenCounts & { readonly task?: string } = {}): void {
    checkKnownOptions("SessionDB.queueTokenCounts", counts, [...COUNT_NAMES, "source", "task"]);
    const { absolute, task = "", ...amounts } = given(counts);
    const whole = flagOf("SessionDB.queueTokenCounts: absolute", absolute);
    this.store.usage.queue(sessionId, { ...NOTHING, ...amounts }, { absolute: whole, task });
  }

  /** Writes what is queued. @param timeout - In seconds. @returns Whether nothing waits any more. */
  flushTokenCounts(timeout?: Alone<"timeout", number>): boolean {
    const seconds = numberArgument("SessionDB.flushTokenCounts", "timeout", timeout) ?? FLUSH_SECONDS;
    return this.store.usage.flush(seconds * 1000);
  }

  /**
   * Adds what was used to the totals of a session and to those of its route; a session nobody made yet is made.
   *
   * @param sessionId - Then the amounts in the old order, or by name in one last object.
   * @throws TypeError for an unknown name or a wrong type, RangeError for a number that cannot be.
   */
  updateTokenCounts(sessionId: string, counts?: TokenCounts): void;
  updateTokenCounts(sessionId: string, inputTokens: number, outputTokens: number, counts?: TokenCounts): void;
  updateTokenCounts(
    sessionId: string,
    inputTokens?: number,
    outputTokens?: number,
    model?: string | null,
    cacheReadTokens?: number,
    cacheWriteTokens?: number,
    reasoningTokens?: number,
    estimatedCostUsd?: number | null,
    actualCostUsd?: number | null,
    costStatus?: string | null,
    costSource?: string | null,
    pricingVersion?: string | null,
    billingProvider?: string | null,
    billingBaseUrl?: string | null,
    billingMode?: string | null,
    apiCallCount?: number,
    absolute?: boolean,
  ): void;
  updateTokenCounts(sessionId: string, ...args: readonly unknown[]): void {
    const what = "SessionDB.updateTokenCounts";
    const { absolute, ...amounts } = given(callArguments(what, args, COUNT_NAMES, ["source"]) as TokenCounts);
    const usage = { ...NOTHING, ...amounts };
    if (flagOf(`${what}: absolute`, absolute)) this.store.usage.setAbsolute(sessionId, usage);
    else this.store.usage.record(sessionId, usage);
  }

  /**
   * Adds what work beside the conversation used, as one call; the session's own totals and route stay out of it.
   *
   * @returns Whether it was added: not for an unknown session, nor without a task.
   */
  recordAuxiliaryUsage(sessionId: string, task: string, options: AuxiliaryOptions = {}): boolean {
    checkKnownOptions("SessionDB.recordAuxiliaryUsage", options, AUXILIARY_NAMES);
    let added = false;
    ifSessionExists(() => {
      added = this.store.usage.auxiliary(sessionId, task, { ...options, apiCallCount: 1 });
    });
    return added;
  }

  /** A fact about the file; null where there is none. */
  getMeta(key: string): string | null {
    return this.store.meta.get(key) ?? null;
  }

  /** Sets a fact about the file. @param options - `cursor`: the writer of a transaction that it is to be part of. */
  setMeta(key: string, value: string, options: { readonly cursor?: Writer } = {}): void {
    checkKnownOptions("SessionDB.setMeta", options, ["cursor"]);
    const { cursor } = options;
    if (!cursor) this.store.meta.set(key, value);
    else if (typeof key === "string" && typeof value === "string") cursor.run(SET_META, [key, value]);
    else throw new TypeError("SessionDB.setMeta: key and value must be strings.");
  }
}
