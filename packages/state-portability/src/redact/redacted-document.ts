import { createHash } from "node:crypto";
import type { SessionDocument } from "../export/session-document.js";
import { CHILD_TABLES } from "../rows/entities.js";
import type { ChildEntity } from "../rows/entities.js";
import type { Cell, RawRow } from "../rows/raw-row.js";
import type { Redactor } from "./redactor.js";

/** Columns whose texts name a row: two rows must not get the same one. */
const NAMING: ReadonlySet<string> = new Set([
  "id",
  "session_id",
  "parent_session_id",
  "message_uid",
  "platform_message_id",
  "tool_call_id",
  "session_key",
  "chat_id",
  "thread_id",
  "user_id",
  ...CHILD_TABLES.flatMap(({ key }) => key),
]);

/** Columns that name a text by its hash. */
const HASHES = ["system_prompt_hash", "tool_names"] as const;

/** A session as it is exported with its secrets taken out: every text of every row, and the texts it refers to. */
export function redactedDocument(document: SessionDocument, redactor: Redactor): SessionDocument {
  const hashes = new Map<string, string>();
  const prompts: Record<string, string> = {};
  for (const [hash, text] of Object.entries(document.prompts)) {
    const redacted = redactor.text(text);
    const key = redacted === text ? hash : createHash("sha256").update(redacted, "utf8").digest("hex");
    hashes.set(hash, key);
    prompts[key] = redacted;
  }
  const session: Record<string, Cell> = redactedRow(document.session, redactor);
  for (const column of HASHES) {
    const hash = document.session[column];
    if (typeof hash === "string" && hashes.has(hash)) session[column] = hashes.get(hash) ?? null;
  }
  return {
    id: redactor.id(document.id),
    session,
    prompts,
    counts: document.counts,
    rows: (entity) => redactedRows(document, entity, redactor),
  };
}

function* redactedRows(document: SessionDocument, entity: ChildEntity, redactor: Redactor): Generator<RawRow> {
  for (const row of document.rows(entity)) yield redactedRow(row, redactor);
}

function redactedRow(row: RawRow, redactor: Redactor): Record<string, Cell> {
  const redacted: Record<string, Cell> = {};
  for (const [name, cell] of Object.entries(row)) {
    redacted[name] = typeof cell === "string" && NAMING.has(name) ? redactor.id(cell) : redactor.cell(cell);
  }
  return redacted;
}
