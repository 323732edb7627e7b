import type { Reader, Writer } from "@hermes/state-schema";
import type { JsonObject } from "../codec/json-value.js";
import { decodeModelConfig, encodeModelConfig, mergeModelConfig } from "../codec/model-config.js";
import { releasePrompt, storePrompt } from "./prompts.js";
import type { AddressedPrompt } from "./prompts.js";
import { sessionNotFound } from "./session-errors.js";

const SELECT_CONFIG = "SELECT model_config AS config, system_prompt_hash AS hash FROM sessions WHERE id = ?";
const SET_CONFIG = "UPDATE sessions SET model_config = ? WHERE id = ?";

const SET_MODEL = `
  UPDATE sessions SET model = ?, model_config = ?, system_prompt = NULL, system_prompt_hash = NULL WHERE id = ?`;

const SET_PROMPT = "UPDATE sessions SET system_prompt = NULL, system_prompt_hash = ? WHERE id = ?";

const SELECT_TOOLS = "SELECT tool_names AS hash FROM sessions WHERE id = ?";
const SET_TOOLS = "UPDATE sessions SET tool_names = ? WHERE id = ?";

const SET_BILLING = `
  UPDATE sessions SET billing_provider = ?, billing_base_url = ?, billing_mode = COALESCE(?, billing_mode)
  WHERE id = ?`;

const SELECT_YOLO = "SELECT model_config AS config FROM sessions WHERE id = ?";

interface ConfigRow {
  readonly config: string | null;
  readonly hash: string | null;
}

function currentConfig(w: Writer, sessionId: string): ConfigRow {
  const row = w.get<ConfigRow>(SELECT_CONFIG, [sessionId]);
  if (!row) throw sessionNotFound(sessionId);
  return row;
}

/**
 * Merges a patch into a session's config; a null value deletes its key.
 *
 * @returns The config after the merge.
 */
export function patchConfig(w: Writer, sessionId: string, patch: JsonObject): JsonObject {
  const config = mergeModelConfig(decodeModelConfig(currentConfig(w, sessionId).config), patch);
  w.run(SET_CONFIG, [encodeModelConfig(config), sessionId]);
  return config;
}

/** Switches the model: the browser's lock on the old one and the prompt made for it go. */
export function switchModel(w: Writer, sessionId: string, model: string): void {
  const { config, hash } = currentConfig(w, sessionId);
  const kept = mergeModelConfig(decodeModelConfig(config), { browser_model_lock: null });
  w.run(SET_MODEL, [model, encodeModelConfig(kept), sessionId]);
  releasePrompt(w, hash);
}

/** Replaces the prompt of a session; undefined removes it. */
export function setPrompt(w: Writer, sessionId: string, prompt: AddressedPrompt | undefined): void {
  const { hash } = currentConfig(w, sessionId);
  w.run(SET_PROMPT, [storePrompt(w, prompt), sessionId]);
  if (hash !== prompt?.hash) releasePrompt(w, hash);
}

/**
 * Replaces the list of tools of a session.
 *
 * @param names - As `tool_names` holds them. A newer peer stores their address instead; what it shared is let go.
 */
export function setToolNames(w: Writer, sessionId: string, names: string | null): void {
  const before = w.get<{ hash: string | null }>(SELECT_TOOLS, [sessionId]);
  if (!before) throw sessionNotFound(sessionId);
  w.run(SET_TOOLS, [names, sessionId]);
  releasePrompt(w, before.hash);
}

/** Who is billed for a session from here on. */
export interface BillingRoute {
  readonly billingProvider: string | null;
  readonly billingBaseUrl: string | null;
  /** Absent and null keep the stored one. */
  readonly billingMode?: string | null;
}

/** Sets who is billed, whatever was said before. */
export function setBillingRoute(w: Writer, sessionId: string, route: BillingRoute): void {
  const { billingProvider, billingBaseUrl, billingMode = null } = route;
  const { changes } = w.run(SET_BILLING, [billingProvider, billingBaseUrl, billingMode, sessionId]);
  if (changes === 0) throw sessionNotFound(sessionId);
}

/** Whether a session runs tools without asking; false for a config that cannot be read. */
export function isYolo(r: Reader, sessionId: string): boolean {
  const row = r.get<{ config: string | null }>(SELECT_YOLO, [sessionId]);
  if (!row) throw sessionNotFound(sessionId);
  return decodeModelConfig(row.config)["yolo_mode"] === true;
}
