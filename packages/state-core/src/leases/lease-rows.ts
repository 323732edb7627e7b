import type { Reader, Writer } from "@hermes/state-schema";
import type { LeaseKind, LeaseRow } from "./lease.js";

interface LeaseSql {
  readonly select: string;
  readonly list: string;
  readonly insert: string;
  readonly refresh: string;
  readonly deleteOf: string;
  readonly sweep: string;
}

function leaseSql(table: string, key: string): LeaseSql {
  const columns = `${key} AS key, holder, acquired_at AS acquiredAt, expires_at AS expiresAt`;
  return {
    select: `SELECT ${columns} FROM ${table} WHERE ${key} = ?`,
    list: `SELECT ${columns} FROM ${table} ORDER BY expires_at, ${key}`,
    insert: `INSERT OR IGNORE INTO ${table} (${key}, holder, acquired_at, expires_at) VALUES (?, ?, ?, ?)`,
    refresh: `UPDATE ${table} SET expires_at = ? WHERE ${key} = ? AND holder = ?`,
    deleteOf: `DELETE FROM ${table} WHERE ${key} = ? AND holder = ?`,
    sweep: `DELETE FROM ${table} WHERE typeof(expires_at) IN ('real', 'integer') AND expires_at < ?`,
  };
}

const SQL: Readonly<Record<LeaseKind, LeaseSql>> = {
  compression: leaseSql("compression_locks", "session_id"),
  turn: leaseSql("session_turn_leases", "conversation_id"),
};

interface Cells {
  readonly key: string;
  readonly holder: unknown;
  readonly acquiredAt: unknown;
  readonly expiresAt: unknown;
}

function toLeaseRow(kind: LeaseKind, cells: Cells): LeaseRow {
  const seconds = (cell: unknown): number | undefined => (typeof cell === "number" ? cell : undefined);
  const { key, holder, acquiredAt, expiresAt } = cells;
  return {
    kind,
    key,
    holder: String(holder),
    acquiredAtSeconds: seconds(acquiredAt),
    expiresAtSeconds: seconds(expiresAt),
  };
}

/** The lease on a key, expired or not. */
export function readLease(r: Reader, kind: LeaseKind, key: string): LeaseRow | undefined {
  const cells = r.get<Cells & object>(SQL[kind].select, [key]);
  return cells && toLeaseRow(kind, cells);
}

/** Every lease of a kind, the first to expire first. */
export function listLeases(r: Reader, kind: LeaseKind): LeaseRow[] {
  return r.all<Cells & object>(SQL[kind].list).map((cells) => toLeaseRow(kind, cells));
}

/** Claims a key nobody has claimed. Moments are REAL seconds. */
export function insertLease(w: Writer, kind: LeaseKind, key: string, holder: string, from: number, to: number): void {
  w.run(SQL[kind].insert, [key, holder, from, to]);
}

/** Moves the end of a lease that the holder still has. @returns Whether it has. */
export function extendLease(w: Writer, kind: LeaseKind, key: string, holder: string, to: number): boolean {
  return w.run(SQL[kind].refresh, [to, key, holder]).changes > 0;
}

/** Gives a key free if this holder has it. @returns Whether it had. */
export function deleteLease(w: Writer, kind: LeaseKind, key: string, holder: string): boolean {
  return w.run(SQL[kind].deleteOf, [key, holder]).changes > 0;
}

/** Deletes the leases that ended before a moment. @returns How many. */
export function sweepLeases(w: Writer, kind: LeaseKind, before: number): number {
  return w.run(SQL[kind].sweep, [before]).changes;
}
