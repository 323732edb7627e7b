import type { Reader, SqlValue } from "@hermes/state-schema";
import type { SessionDocument } from "../export/session-document.js";
import { CHILD_TABLES } from "./entities.js";
import type { ChildEntity, ChildTable } from "./entities.js";
import { exactRow } from "./exact-row.js";
import { quoteName } from "./quote-name.js";
import type { RawRow } from "./raw-row.js";
import { tableShape } from "./table-shape.js";
import type { TableShape } from "./table-shape.js";

/** The shapes of everything that moves with a session, as one file has them. */
export interface StoreShape {
  readonly session: TableShape;
  readonly children: Readonly<Partial<Record<ChildEntity, TableShape>>>;
}

const MESSAGE_ID_PAGE = 1000;
const HASH = /^[0-9a-f]{64}$/;

const SESSION_PAGE_SQL = "SELECT id FROM sessions WHERE id > ? AND typeof(id) = 'text' ORDER BY id LIMIT ?";
const MESSAGE_IDS_SQL = `SELECT id FROM messages WHERE session_id = ? AND id > ? ORDER BY id LIMIT ${MESSAGE_ID_PAGE}`;
const PROMPTS_SQL = "SELECT hash, prompt FROM system_prompts WHERE hash IN (?, ?) ORDER BY hash";

/** Reads which columns this file has. */
export function storeShape(r: Reader): StoreShape {
  const session = tableShape(r, "sessions") ?? { table: "sessions", columns: [] };
  const children: Partial<Record<ChildEntity, TableShape>> = {};
  for (const { entity, table } of CHILD_TABLES) {
    const shape = tableShape(r, table);
    if (shape) children[entity] = shape;
  }
  return { session, children };
}

/** A page of session ids in the order of their bytes, after the given one; start with "". */
export function sessionIdsAfter(r: Reader, after: string, limit: number): string[] {
  return r.tuples<readonly [string]>(SESSION_PAGE_SQL, [after, limit]).map(([id]) => id);
}

/**
 * Opens one session for an export. The document is valid inside the read it was made in.
 *
 * @returns The document, or undefined when there is no such session.
 */
export function readSession(r: Reader, shape: StoreShape, id: string): SessionDocument | undefined {
  const row = r.get(`${selectFrom(shape.session)} WHERE id = ?`, [id]);
  if (!row) return undefined;
  const session = exactRow(r, { table: "sessions", key: { id } }, row);
  return {
    id,
    session,
    prompts: readPrompts(r, session),
    counts: countChildren(r, shape, id),
    rows: (entity) => childRows(r, shape, entity, id),
  };
}

function selectFrom(shape: TableShape): string {
  return `SELECT ${shape.columns.map((column) => quoteName(column.name)).join(", ")} FROM ${shape.table}`;
}

function readPrompts(r: Reader, session: RawRow): Record<string, string> {
  const hashes = [session["system_prompt_hash"], session["tool_names"]].map((cell) =>
    typeof cell === "string" && HASH.test(cell) ? cell : null,
  );
  if (hashes.every((hash) => hash === null)) return {};
  return Object.fromEntries(r.tuples<readonly [string, string]>(PROMPTS_SQL, hashes));
}

function countChildren(r: Reader, shape: StoreShape, id: string): Partial<Record<ChildEntity, number>> {
  const counts: Partial<Record<ChildEntity, number>> = {};
  for (const { entity, table } of CHILD_TABLES) {
    if (!shape.children[entity]) continue;
    counts[entity] = r.get<{ n: number }>(`SELECT COUNT(1) AS n FROM ${table} WHERE session_id = ?`, [id])?.n ?? 0;
  }
  return counts;
}

function childRows(r: Reader, shape: StoreShape, entity: ChildEntity, sessionId: string): Iterable<RawRow> {
  const columns = shape.children[entity];
  const child = CHILD_TABLES.find((candidate) => candidate.entity === entity);
  if (!columns || !child) return [];
  return entity === "message" ? messageRows(r, columns, sessionId) : keyedRows(r, columns, child, sessionId);
}

/** Ids in pages and bodies one by one: a page of bodies could be any size. */
function* messageRows(r: Reader, shape: TableShape, sessionId: string): Generator<RawRow> {
  const byId = `${selectFrom(shape)} WHERE id = ?`;
  for (let after = -Number.MAX_SAFE_INTEGER; ;) {
    const ids = r.tuples<readonly [number]>(MESSAGE_IDS_SQL, [sessionId, after]).map(([id]) => id);
    for (const id of ids) {
      const row = r.get(byId, [id]);
      if (row) yield exactRow(r, { table: "messages", key: { id } }, row);
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < MESSAGE_ID_PAGE) return;
    after = last;
  }
}

function* keyedRows(r: Reader, shape: TableShape, child: ChildTable, sessionId: string): Generator<RawRow> {
  const order = child.key.map(quoteName).join(", ");
  for (const row of r.all(`${selectFrom(shape)} WHERE session_id = ? ORDER BY ${order}`, [sessionId])) {
    const key: Record<string, SqlValue> = { session_id: sessionId };
    for (const column of child.key) key[column] = row[column] ?? null;
    yield exactRow(r, { table: child.table, key }, row);
  }
}
