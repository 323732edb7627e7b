import type { Reader } from "@hermes/state-schema";
import { isObject } from "../state-jsonl/parse-record.js";
import type { ForeignSession } from "./foreign-session.js";
import { storedUid } from "./stored-uid.js";
import type { Holders } from "./stored-uids.js";

const CONFIG = "SELECT model_config AS config FROM sessions WHERE id = ? AND instr(model_config, 'imported_after') > 0";
const UIDS = "SELECT message_uid FROM messages WHERE session_id = ? AND message_uid IS NOT NULL";

/**
 * What was left out of a session when it first came in stays out, also when the session that held it was deleted since:
 * else what somebody deleted would come back, and behind what was said after it.
 */
export function leftOutBefore(r: Reader, { id, messages }: ForeignSession, format: string): Holders {
  const config = r.get<{ config: string }>(CONFIG, [id])?.config;
  const { imported_after: after, _branched_from: origin } = parsed(config);
  const end = messages.findIndex(({ uid }) => uid === after);
  if (end < 0) return new Map();
  const held = new Set(r.tuples<readonly [string]>(UIDS, [id]).map(([uid]) => uid));
  const out = messages.slice(0, end + 1).filter(({ uid }) => !held.has(storedUid(format, uid)));
  return new Map(out.map(({ uid }) => [uid, typeof origin === "string" ? origin : id]));
}

function parsed(config: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = config === undefined ? {} : JSON.parse(config);
    return isObject(value) ? value : {};
  } catch {
    // Somebody else's text: it tells nothing about an import.
    return {};
  }
}
