import { TABLES } from "@hermes/state-schema";
import type { SqlValue } from "@hermes/state-schema";
import { readFlag, readText } from "../codec/cell-readers.js";
import type { CellReader } from "../codec/cell-readers.js";
import { decodeModelConfig } from "../codec/model-config.js";
import { RowDecoder } from "../codec/row-decoder.js";
import type { Session, SessionRow } from "./session-row.js";
import { decodeToolNames } from "./tool-names.js";

const readModelConfig: CellReader = (cell, damaged) => {
  if (cell === null) return null;
  const problems: string[] = [];
  const config = decodeModelConfig(cell, () => problems.push("no object"));
  if (problems.length === 0) return config;
  damaged();
  return undefined;
};

/** Decodes rows of `sessions`. Prompts are read apart, since a listing must not touch them (P24). */
export const SESSION_DECODER: RowDecoder<SessionRow> = new RowDecoder<SessionRow>(TABLES.sessions, {
  omit: ["system_prompt", "tool_names"],
  readers: {
    model_config: readModelConfig,
    expiry_finalized: readFlag,
    archived: readFlag,
    auto_archived: readFlag,
    pinned: readFlag,
    hidden: readFlag,
  },
});

/** One session by id, with the text its hashes stand for: the inline prompt of old files is the fallback. */
export const SELECT_SESSION: string = `
  SELECT ${SESSION_DECODER.select("s")},
    COALESCE(prompt.prompt, s.system_prompt), COALESCE(tools.prompt, s.tool_names)
  FROM sessions AS s
  LEFT JOIN system_prompts AS prompt ON prompt.hash = s.system_prompt_hash
  LEFT JOIN system_prompts AS tools ON tools.hash = s.tool_names
  WHERE s.id = ?`;

/** Decodes a row of {@link SELECT_SESSION}. */
export function decodeSession(cells: readonly SqlValue[]): Session {
  const row = SESSION_DECODER.decode(cells);
  const damaged = [...row.damaged];
  const at = SESSION_DECODER.columns.length;
  const systemPrompt = readText(cells[at] ?? null, () => damaged.push("systemPrompt")) as Session["systemPrompt"];
  const toolNames = decodeToolNames(cells[at + 1] ?? null, () => damaged.push("toolNames"));
  return { ...row, systemPrompt, toolNames, damaged };
}
