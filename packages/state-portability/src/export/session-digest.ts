import { createHash } from "node:crypto";
import type { IncomingSession } from "../import/import-reader.js";
import { CHILD_TABLES } from "../rows/entities.js";
import type { ChildEntity } from "../rows/entities.js";
import type { RawRow } from "../rows/raw-row.js";
import { rowToJson } from "../state-jsonl/cell-json.js";
import type { SessionDocument } from "./session-document.js";

/** What a session holds, row by row: equal digests mean that every cell of every row is the same. */
export interface SessionDigest {
  readonly messages: number;
  readonly sha256: string;
}

class Digesting {
  readonly #hash = createHash("sha256");
  #messages = 0;

  add(entity: "session" | ChildEntity, row: RawRow, without: string): void {
    const { [without]: _left, ...rest } = row;
    if (entity === "message") this.#messages += 1;
    this.#hash.update(`${entity} ${JSON.stringify(rowToJson(rest))}\n`, "utf8");
  }

  addPrompts(prompts: Readonly<Record<string, string>>): void {
    const sorted = Object.entries(prompts).sort(([a], [b]) => (a < b ? -1 : 1));
    this.#hash.update(`${JSON.stringify(sorted)}\n`, "utf8");
  }

  finish(): SessionDigest {
    return { messages: this.#messages, sha256: this.#hash.digest("hex") };
  }
}

/** The digest of a session in a store. */
export function digestOfStored(document: SessionDocument): SessionDigest {
  const digesting = new Digesting();
  digesting.add("session", document.session, "id");
  digesting.addPrompts(document.prompts);
  for (const { entity } of CHILD_TABLES) {
    for (const row of document.rows(entity)) digesting.add(entity, row, "session_id");
  }
  return digesting.finish();
}

/**
 * The digest of a session as it comes out of a file, in the order of its lines.
 *
 * @param onRow - Called with each row, to tell how far it is.
 */
export function digestOfIncoming(incoming: IncomingSession, onRow: () => void): SessionDigest {
  const digesting = new Digesting();
  digesting.add("session", incoming.row, "id");
  digesting.addPrompts(incoming.prompts);
  for (const { entity, row } of incoming.children) {
    digesting.add(entity, row, "session_id");
    onRow();
  }
  return digesting.finish();
}
