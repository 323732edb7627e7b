import { openForReading } from "./open-for-reading.js";

const TABLES_SQL =
  "SELECT count(*) AS found FROM sqlite_master WHERE type = 'table' AND name IN ('sessions', 'messages')";

/** Why a sound database is no store: one of another program could take the place of a store just as well. */
export function strangers(path: string): string[] {
  using connection = openForReading(path);
  const found = connection.get<{ found: number }>(TABLES_SQL)?.found;
  return found === 2 ? [] : ["it has no sessions and messages: it is a database of another program"];
}
