import type { Writer } from "@hermes/state-schema";
import type { JsonObject } from "../codec/json-value.js";
import { decodeModelConfig, encodeModelConfig, mergeModelConfig } from "../codec/model-config.js";
import { sessionNotFound } from "./session-errors.js";

const SELECT_CONFIG = "SELECT model_config AS config, system_prompt_hash AS hash FROM sessions WHERE id = ?";
const SET_CONFIG = "UPDATE sessions SET model_config = ? WHERE id = ?";

const SET_MODEL = `
  UPDATE sessions SET model = ?, model_config = ?, system_prompt = NULL, system_prompt_hash = NULL WHERE id = ?`;

/** A prompt goes when no session names it any more, as prompt or as list of tools. */
const DROP_UNUSED_PROMPT = `
  DELETE FROM system_prompts WHERE hash = ?
    AND NOT EXISTS (SELECT 1 FROM sessions WHERE system_prompt_hash = system_prompts.hash)
    AND NOT EXISTS (SELECT 1 FROM sessions WHERE tool_names = system_prompts.hash)`;

const SET_CWD = `
  UPDATE sessions SET cwd = ?, git_branch = COALESCE(?, git_branch), git_repo_root = COALESCE(?, git_repo_root),
    git_metadata_generation = git_metadata_generation + 1
  WHERE id = ?`;
const SELECT_GENERATION = "SELECT git_metadata_generation AS generation FROM sessions WHERE id = ?";

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
  if (hash !== null) w.run(DROP_UNUSED_PROMPT, [hash]);
}

/** What is known about a working folder beside its path. */
export interface GitPlace {
  readonly gitBranch?: string;
  readonly gitRepoRoot?: string;
}

/**
 * Moves a session to another folder.
 *
 * @returns The generation of its place: an answer of a slow probe is stale when this has moved on.
 */
export function moveSession(w: Writer, sessionId: string, cwd: string, git: GitPlace): number {
  const { changes } = w.run(SET_CWD, [cwd, git.gitBranch || null, git.gitRepoRoot || null, sessionId]);
  if (changes === 0) throw sessionNotFound(sessionId);
  return w.get<{ generation: number }>(SELECT_GENERATION, [sessionId])?.generation ?? 0;
}
