import type { SqlValue, Writer } from "@hermes/state-schema";
import { describe, expect, it } from "vitest";
import { RawText } from "../rows/raw-row.js";
import { insertRow } from "./insert-row.js";

interface Written {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Only what `insertRow` asks of a writer. */
function recorder(): { readonly w: Writer; readonly written: Written[] } {
  const written: Written[] = [];
  const run = (sql: string, params: readonly SqlValue[] = []): { changes: number; lastInsertRowid: number } => {
    written.push({ sql, params: [...params] });
    return { changes: 1, lastInsertRowid: written.length };
  };
  return { w: { run } as unknown as Writer, written };
}

const COLUMNS = { message: new Set(["id", "session_id", "role", "content", "a", "b", "c", "a,b", "b,c"]) };

describe("writing one row", () => {
  it("POR-02 writes the cells that the store has a column for, and those that are decided here", () => {
    const { w, written } = recorder();
    insertRow(w, COLUMNS, "message", { id: 7, role: "user", other: 1 }, { session_id: "s", id: undefined });
    insertRow(w, COLUMNS, "message", { id: 7, role: "user", other: 1 }, { session_id: "s", id: 9 });
    expect(written).toEqual([
      { sql: 'INSERT INTO messages ("role", "session_id") VALUES (?, ?)', params: ["user", "s"] },
      { sql: 'INSERT INTO messages ("role", "session_id", "id") VALUES (?, ?, ?)', params: ["user", "s", 9] },
    ]);
  });

  it("POR-01 writes text that is no UTF-8 by its bytes, in that row only", () => {
    const { w, written } = recorder();
    const bytes = Buffer.from([0xff]);
    insertRow(w, COLUMNS, "message", { content: "x" });
    insertRow(w, COLUMNS, "message", { content: new RawText(bytes) });
    insertRow(w, COLUMNS, "message", { content: "y" });
    expect(written).toEqual([
      { sql: 'INSERT INTO messages ("content") VALUES (?)', params: ["x"] },
      { sql: 'INSERT INTO messages ("content") VALUES (CAST(? AS TEXT))', params: [bytes] },
      { sql: 'INSERT INTO messages ("content") VALUES (?)', params: ["y"] },
    ]);
  });

  it("POR-01 tells lists of columns apart whatever the names are made of", () => {
    const { w, written } = recorder();
    for (const row of [{ a: 1, b: 2 }, { "a,b": 3 }, { a: 4, "b,c": 5 }, { "a,b": 6, c: 7 }, { a: 8, b: 9, c: 10 }]) {
      insertRow(w, COLUMNS, "message", row);
      insertRow(w, COLUMNS, "message", row);
    }
    const columns = written.map(({ sql }) => /\((.*?)\) VALUES/.exec(sql)?.[1]);
    const expected = ['"a", "b"', '"a,b"', '"a", "b,c"', '"a,b", "c"', '"a", "b", "c"'];
    expect(columns).toEqual(expected.flatMap((list) => [list, list]));
    expect(written.map(({ params }) => params.length)).toEqual([2, 2, 1, 1, 2, 2, 2, 2, 3, 3]);
  });
});
