import type { Writer } from "@hermes/state-schema";
import { applyGrowth } from "../../foreign/apply-growth.js";
import type { RawRow } from "../../rows/raw-row.js";
import type { IncomingRow, IncomingSession } from "../import-reader.js";
import { insertMessages } from "../insert-messages.js";
import { insertRow } from "../insert-row.js";
import { insertSession } from "../insert-session.js";
import type { InsertPolicy } from "../insert-session.js";
import { recountSession } from "../recount-session.js";
import { raiseUsage } from "./raise-usage.js";
import { replaceSession } from "./replace-session.js";
import type { Decision } from "./decision.js";

/** What was written. */
export interface Applied {
  readonly messages: number;
  readonly renamed?: { readonly from: string; readonly to: string } | undefined;
  readonly leftOut?: number;
}

/** Writes what was decided, in the transaction in which it was. */
export function apply(w: Writer, decision: Decision, incoming: IncomingSession, policy: InsertPolicy): Applied {
  switch (decision.kind) {
    case "skip":
      return { messages: 0 };
    case "insert":
      return insertSession(w, incoming, policy);
    case "copy":
      return insertSession(w, { ...incoming, id: decision.id }, { ...policy, keepIds: false });
    case "branch":
      return insertSession(w, branchOf(incoming, decision.id), { ...policy, keepIds: false });
    case "append":
      return append(w, decision.known, incoming, policy);
    case "grow":
      applyGrowth(w, decision.growth, incoming, policy.columns);
      return { messages: decision.growth.added.length };
    case "replace":
      return replaceSession(w, incoming, policy);
  }
}

/** The whole talk as a branch: it can be gone on with by itself. */
function branchOf(incoming: IncomingSession, id: string): IncomingSession {
  const config = parsedConfig(incoming.row["model_config"]);
  const modelConfig = JSON.stringify({ ...config, _branched_from: incoming.id });
  return { ...incoming, id, row: { ...incoming.row, model_config: modelConfig, parent_session_id: incoming.id } };
}

function parsedConfig(cell: RawRow[string] | undefined): object {
  try {
    const config: unknown = typeof cell === "string" ? JSON.parse(cell) : {};
    return typeof config === "object" && config !== null && !Array.isArray(config) ? config : {};
  } catch {
    // A config that is no JSON says nothing that a branch could inherit.
    return {};
  }
}

function append(w: Writer, known: number, incoming: IncomingSession, policy: InsertPolicy): Applied {
  const used: IncomingRow[] = [];
  let seen = 0;
  insertMessages(w, { count: incoming.messages - known }, () => {
    let highest = 0;
    for (const child of incoming.children) {
      if (child.entity !== "message") used.push(child);
      else if ((seen += 1) > known) {
        highest = insertRow(w, policy.columns, "message", child.row, { session_id: incoming.id, id: undefined });
      }
    }
    return highest;
  });
  recountSession(w, incoming.id);
  raiseUsage(w, { ...incoming, children: used }, policy.columns);
  return { messages: seen - known };
}
