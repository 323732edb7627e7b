import { CHILD_TABLES } from "../rows/entities.js";
import { STATE_JSONL_FORMAT, STATE_JSONL_VERSION } from "./records.js";
import type { ChildRecord, FooterRecord, HeaderRecord, SessionRecord } from "./records.js";

/** A record of a line, or what is wrong with the line. */
export type ParsedRecord =
  HeaderRecord | SessionRecord | ChildRecord | FooterRecord | { readonly type: "problem"; readonly message: string };

type Json = Readonly<Record<string, unknown>>;

const ENTITIES: ReadonlySet<unknown> = new Set(CHILD_TABLES.map((child) => child.entity));

function problem(message: string): ParsedRecord {
  return { type: "problem", message };
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isCountTable(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isCount);
}

function isTextTable(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}

/**
 * Judges one line of this stack's own JSONL. Cells are judged where they are decoded.
 *
 * @param json - The parsed line.
 */
export function parseRecord(json: unknown): ParsedRecord {
  if (!isObject(json)) return problem("the line is not a JSON object");
  const type = json["type"];
  if (type === "header") return parseHeader(json);
  if (type === "session") return parseSession(json);
  if (type === "footer") return parseFooter(json);
  if (!ENTITIES.has(type)) return problem(`unknown record type ${JSON.stringify(type)}`);
  if (typeof json["session"] !== "string") return problem(`a ${String(type)} record without its session id`);
  if (!isObject(json["row"])) return problem(`a ${String(type)} record without a row`);
  return json as unknown as ChildRecord;
}

function parseHeader(json: Json): ParsedRecord {
  const { format, version, columns } = json;
  if (format !== STATE_JSONL_FORMAT) return problem(`the header names the format ${JSON.stringify(format)}`);
  if (!isCount(version) || version === 0) return problem("the header has no version");
  if ((version as number) > STATE_JSONL_VERSION) {
    return problem(`the file has format version ${String(version)}; this program reads up to ${STATE_JSONL_VERSION}`);
  }
  const tables = isObject(columns) ? Object.values(columns) : [];
  if (!isObject(columns) || !isTextTable(columns["session"]) || !tables.every(isTextTable)) {
    return problem("the header does not list the columns");
  }
  return json as unknown as HeaderRecord;
}

function parseSession(json: Json): ParsedRecord {
  if (typeof json["id"] !== "string" || json["id"] === "") return problem("a session record without an id");
  if (!isCountTable(json["counts"])) return problem("a session record without counts");
  if (json["prompts"] !== undefined && !isTextTable(json["prompts"]))
    return problem("prompts must map hashes to texts");
  return isObject(json["row"]) ? (json as unknown as SessionRecord) : problem("a session record without a row");
}

function parseFooter(json: Json): ParsedRecord {
  const complete = isCountTable(json["counts"]) && typeof json["sha256"] === "string";
  return complete ? (json as unknown as FooterRecord) : problem("the footer lacks its counts or its digest");
}
