import type { Reader, SqlValue } from "@hermes/state-schema";
import type { SessionDocument } from "../export/session-document.js";
import { CHILD_TABLES } from "./entities.js";
import type { ChildEntity, ChildTable } from "./entities.js";
import { exactRow } from "./exact-row.js";
import { LONG_TEXT_BYTES, LongText } from "./long-text.js";
import type { PiecedRow } from "./long-text.js";
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
/** Bytes of a text are those of UTF-8, unless somebody made the file otherwise. */
const IS_UTF8_SQL = "SELECT 1 AS yes FROM pragma_encoding WHERE encoding = 'UTF-8'";
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
    piecedRows: (entity) =>
      entity === "message" && shape.children.message && r.get(IS_UTF8_SQL)
        ? piecedMessages(r, shape.children.message, id)
        : childRows(r, shape, entity, id),
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

function* messageRows(r: Reader, shape: TableShape, sessionId: string): Generator<RawRow> {
  for (const id of messageIds(r, sessionId)) {
    const row = messageRow(r, shape, id);
    if (row) yield row;
  }
}

/** Ids in pages and bodies one by one: a page of bodies could be any size. */
function* messageIds(r: Reader, sessionId: string): Generator<number> {
  for (let after = -Number.MAX_SAFE_INTEGER; ;) {
    const ids = r.tuples<readonly [number]>(MESSAGE_IDS_SQL, [sessionId, after]);
    for (const [id] of ids) yield id;
    const last = ids.at(-1);
    if (last === undefined || ids.length < MESSAGE_ID_PAGE) return;
    [after] = last;
  }
}

function messageRow(r: Reader, shape: TableShape, id: number): RawRow | undefined {
  const row = r.get(`${selectFrom(shape)} WHERE id = ?`, [id]);
  return row && exactRow(r, { table: "messages", key: { id } }, row);
}

/** The same rows, with texts that are read when they are asked for in the place of long ones. */
function* piecedMessages(r: Reader, shape: TableShape, sessionId: string): Generator<PiecedRow> {
  const sizes = sizesOf(shape);
  for (const id of messageIds(r, sessionId)) {
    const [lengths = []] = r.tuples<readonly (number | null)[]>(sizes, [id]);
    const long = new Map<string, LongText>();
    shape.columns.forEach(({ name }, index) => {
      const bytes = lengths[index] ?? 0;
      if (bytes > LONG_TEXT_BYTES) long.set(name, new LongText(r, name, id, bytes));
    });
    const row = long.size > 0 ? withLong(r, shape, id, long) : messageRow(r, shape, id);
    if (row) yield row;
  }
}

/** How long the texts of a message are, which the engine can tell without reading them. */
function sizesOf({ columns }: TableShape): string {
  const sizes = columns.map(
    ({ name }) => `iif(typeof(${quoteName(name)}) = 'text', octet_length(${quoteName(name)}), 0)`,
  );
  return `SELECT ${sizes.join(", ")} FROM messages WHERE id = ?`;
}

function withLong(
  r: Reader,
  shape: TableShape,
  id: number,
  long: ReadonlyMap<string, LongText>,
): PiecedRow | undefined {
  const short = messageRow(r, { ...shape, columns: shape.columns.filter(({ name }) => !long.has(name)) }, id);
  return short && Object.fromEntries(shape.columns.map(({ name }) => [name, long.get(name) ?? short[name] ?? null]));
}

function* keyedRows(r: Reader, shape: TableShape, child: ChildTable, sessionId: string): Generator<RawRow> {
  const order = child.key.map(quoteName).join(", ");
  for (const row of r.all(`${selectFrom(shape)} WHERE session_id = ? ORDER BY ${order}`, [sessionId])) {
    const key: Record<string, SqlValue> = { session_id: sessionId };
    for (const column of child.key) key[column] = row[column] ?? null;
    yield exactRow(r, { table: child.table, key }, row);
  }
}
