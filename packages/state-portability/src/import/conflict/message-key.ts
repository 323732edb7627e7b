import { createHash } from "node:crypto";
import { RawText } from "../../rows/raw-row.js";
import type { Cell, RawRow } from "../../rows/raw-row.js";

/** What makes a message the same one in two stores; ids of rows are given anew by each. */
const SAYS = ["role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp"] as const;

/** The identity of a message: its own uid where it has one, else what it says and when. */
export function messageKey(row: RawRow): string {
  const uid = row["message_uid"];
  if (typeof uid === "string" && uid !== "") return `uid:${uid}`;
  const hash = createHash("sha256");
  for (const name of SAYS) hash.update(spelled(row[name] ?? null)).update("\0");
  return hash.digest("base64");
}

function spelled(cell: Cell): string | Uint8Array {
  if (cell instanceof RawText) return cell.bytes;
  if (cell instanceof Uint8Array) return cell;
  return typeof cell === "string" ? `t${cell.toWellFormed()}` : `n${String(cell)}`;
}
