import { betterSqlite3Driver } from "@hermes/state-core";

function ask(sql: string): string {
  const memory = betterSqlite3Driver.open(":memory:", { readonly: false, busyTimeoutMs: 0 });
  try {
    const [answer] = memory.prepare(sql, "tuple").get([]) as [string];
    return answer;
  } finally {
    memory.close();
  }
}

/** The version of the SQLite library that stores are opened with. */
export function sqliteVersion(): string {
  return ask("SELECT sqlite_version()");
}

/**
 * Which source the SQLite library was built from: a time and a digest.
 *
 * @throws StateError `STATE_E_DRIVER_UNAVAILABLE`.
 */
export function sqliteSourceId(): string {
  return ask("SELECT sqlite_source_id()");
}
