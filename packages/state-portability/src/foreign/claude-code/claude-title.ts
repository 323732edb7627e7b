import { isObject } from "../../state-jsonl/parse-record.js";
import type { JsonLine } from "../foreign-file.js";
import type { ForeignSession } from "../foreign-session.js";
import { textOf } from "../json.js";
import type { Json } from "../json.js";

type Title = Pick<ForeignSession, "title" | "titleSource">;

/** Titles by the authority of who gave them, the strongest first. */
const GIVEN = [
  { type: "custom-title", field: "customTitle", titleSource: "user" },
  { type: "ai-title", field: "aiTitle", titleSource: "llm" },
  { type: "summary", field: "summary", titleSource: "llm" },
] as const;

/**
 * The title of a file's session; the last one of a kind counts.
 *
 * @param isHere - Tells whether a message is in this file: a summary may be of another one.
 */
export function claudeTitle(lines: readonly JsonLine[], isHere: (uuid: string) => boolean): Title {
  const records = lines.map(({ value }) => value).filter(isObject);
  for (const { type, field, titleSource } of GIVEN) {
    const title = textOf(records.findLast((record) => record["type"] === type && aboutThis(record, isHere))?.[field]);
    if (title !== undefined) return { title, titleSource };
  }
  return {};
}

function aboutThis(record: Json, isHere: (uuid: string) => boolean): boolean {
  const leaf = textOf(record["leafUuid"]);
  return leaf === undefined || isHere(leaf);
}
