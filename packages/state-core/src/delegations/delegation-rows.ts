import { TABLES } from "@hermes/state-schema";
import type { Reader, SqlValue, Writer } from "@hermes/state-schema";
import type { Maybe } from "../codec/maybe.js";
import { RowDecoder, rowKey } from "../codec/row-decoder.js";

/** Work that was given away, and the delivery of its result. Moments are REAL seconds since the epoch. */
export interface Delegation {
  readonly delegationId: Maybe<string>;
  readonly originSession: Maybe<string>;
  readonly originUiSessionId: Maybe<string>;
  readonly parentSessionId: Maybe<string>;
  readonly state: Maybe<string>;
  readonly dispatchedAtSeconds: Maybe<number>;
  readonly completedAtSeconds: Maybe<number>;
  readonly updatedAtSeconds: Maybe<number>;
  /** JSON text, kept as it is given; so are the two below. */
  readonly eventJson: Maybe<string>;
  readonly resultJson: Maybe<string>;
  readonly deliveryState: Maybe<string>;
  readonly deliveryAttempts: Maybe<number>;
  readonly deliveredAtSeconds: Maybe<number>;
  readonly ownerPid: Maybe<number>;
  readonly ownerStartedAt: Maybe<number>;
  readonly taskJson: Maybe<string>;
  readonly deliveryClaim: Maybe<string>;
  readonly deliveryClaimedAtSeconds: Maybe<number>;
  readonly originSessionId: Maybe<string>;
  /** Keys whose cells could not be read as their type; they are undefined here. */
  readonly damaged: readonly string[];
}

/** What may be written of a delegation; `updatedAtSeconds` is the store's. */
export type DelegationFields = Partial<Omit<Delegation, "delegationId" | "updatedAtSeconds" | "damaged">>;

/** Which delegations to list; all conditions hold. */
export interface DelegationFilter {
  readonly state?: string;
  readonly deliveryState?: string;
  readonly originSession?: string;
  readonly parentSessionId?: string;
}

const DECODER = new RowDecoder<Delegation>(TABLES.async_delegations);
const TABLE = "async_delegations";

interface WritableColumn {
  readonly name: string;
  readonly isText: boolean;
  readonly notNull: boolean;
  /** Every row has it and the table gives none. */
  readonly required: boolean;
}

/** Column by key, of the columns a caller may write. */
const WRITABLE: ReadonlyMap<string, WritableColumn> = new Map(
  TABLES.async_delegations.columns
    .filter(({ name }) => name !== "delegation_id" && name !== "updated_at")
    .map((column) => {
      const { name, type, notNull } = column;
      const required = notNull && column.default === undefined;
      return [rowKey(column), { name, isText: type === "TEXT", notNull, required }];
    }),
);

/** Keys a caller may write. */
export const DELEGATION_KEYS: readonly string[] = [...WRITABLE.keys()];

const SELECT = `SELECT ${DECODER.select("d")} FROM ${TABLE} AS d`;
const SELECT_ONE = `${SELECT} WHERE d.delegation_id = ?`;
const DELETE = `DELETE FROM ${TABLE} WHERE delegation_id = ?`;

const CLAIM = `
  UPDATE ${TABLE} SET delivery_claim = ?, delivery_claimed_at = ?, delivery_attempts = delivery_attempts + 1,
    updated_at = ?
  WHERE delegation_id = ? AND delivery_state = 'pending'
    AND (delivery_claim IS NULL OR delivery_claim = '' OR delivery_claimed_at IS NULL OR delivery_claimed_at < ?)`;

const DELIVERED = `
  UPDATE ${TABLE} SET delivery_state = 'delivered', delivered_at = ?, delivery_claim = NULL, delivery_claimed_at = NULL,
    updated_at = ?
  WHERE delegation_id = ? AND delivery_claim = ?`;

/** One delegation, or undefined. */
export function findDelegation(r: Reader, id: string): Delegation | undefined {
  const [cells] = r.tuples(SELECT_ONE, [id]);
  return cells && DECODER.decode(cells);
}

/** Delegations, the first dispatched first. */
export function listDelegations(r: Reader, filter: DelegationFilter): Delegation[] {
  const conditions = Object.entries(filter).filter(([, value]) => value !== undefined) as [string, string][];
  const where = conditions.map(([key]) => `d.${WRITABLE.get(key)?.name ?? key} = ?`).join(" AND ");
  const sql = `${SELECT}${where === "" ? "" : ` WHERE ${where}`} ORDER BY d.dispatched_at, d.delegation_id`;
  return r.tuples(sql, conditions.map(([, value]) => value)).map((cells) => DECODER.decode(cells));
}

/**
 * Checks what is to be written.
 *
 * @returns Cells by column.
 * @throws TypeError for a value of another type than its column.
 */
export function delegationCells(what: string, fields: DelegationFields): ReadonlyMap<string, SqlValue> {
  const cells = new Map<string, SqlValue>();
  for (const [key, value] of Object.entries(fields) as [string, unknown][]) {
    const column = WRITABLE.get(key);
    if (!column || value === undefined) continue;
    const wanted = column.isText ? typeof value === "string" : Number.isFinite(value);
    if (!wanted && (value !== null || column.notNull)) {
      const needed = column.isText ? "a string" : "a number";
      throw new TypeError(`${what}: ${key} must be ${needed}, not ${JSON.stringify(value)}.`);
    }
    cells.set(column.name, value as SqlValue);
  }
  return cells;
}

/**
 * Makes a delegation, or changes the given fields of one that is there.
 *
 * @param now - REAL seconds.
 * @throws TypeError when a new one lacks a field that every row has.
 */
export function saveDelegation(w: Writer, id: string, cells: ReadonlyMap<string, SqlValue>, now: number): void {
  const names = ["updated_at", ...cells.keys()];
  const params = [now, ...cells.values(), id];
  const set = names.map((name) => `${name} = ?`).join(", ");
  if (w.run(`UPDATE ${TABLE} SET ${set} WHERE delegation_id = ?`, params).changes > 0) return;
  const lacking = [...WRITABLE].filter(([, { name, required }]) => required && !cells.has(name)).map(([key]) => key);
  if (lacking.length > 0) throw new TypeError(`delegations.save: a new delegation needs ${lacking.join(", ")}.`);
  const columns = [...names, "delegation_id"];
  w.run(`INSERT INTO ${TABLE} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`, params);
}

/** @returns Whether there was one. */
export function deleteDelegation(w: Writer, id: string): boolean {
  return w.run(DELETE, [id]).changes > 0;
}

/**
 * Claims the delivery of a result. Moments are REAL seconds.
 *
 * @param stale - A claim from before this moment is nobody's any more.
 * @returns Whether it is this claim's.
 */
export function claimDelivery(w: Writer, id: string, claim: string, now: number, stale: number): boolean {
  return w.run(CLAIM, [claim, now, now, id, stale]).changes > 0;
}

/** @returns Whether the claim still held. */
export function markDelivered(w: Writer, id: string, claim: string, now: number): boolean {
  return w.run(DELIVERED, [now, now, id, claim]).changes > 0;
}
