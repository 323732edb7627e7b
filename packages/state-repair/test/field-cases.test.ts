import { openStateStore } from "@hermes/state-core";
import { searchMessages } from "@hermes/state-search";
import { describePython, fileHash, hashRows, tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";
import { applyRepair, checkStore, doctor } from "../src/index.js";
import { edit, leavesOf, zeroPage } from "./recipes/spoil.js";

const MESSAGES = 400;

function fill(path: string): void {
  using store = openStateStore({ path });
  store.sessions.create({ id: "s", source: "cli" });
  const messages = Array.from({ length: MESSAGES }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${String(index)} with a needle in it, and filler that makes the table several pages long`,
  }));
  store.messages.appendBatch("s", messages);
}

function needles(path: string): { hits: number; complete: boolean } {
  using store = openStateStore({ path });
  const { hits, complete } = searchMessages(store, "needle", { limit: 1000 });
  return { hits: hits.length, complete };
}

/** Every row but the notes about the index itself. */
function rowsOf(path: string): Readonly<Record<string, string>> {
  const { state_meta: _notes, ...hashes } = hashRows(path).hashes;
  return hashes;
}

describePython("field cases", () => {
  it.each([
    ["lost", "DELETE FROM messages_fts_data WHERE id > 10"],
    ["emptied", "UPDATE messages_fts_data SET block = zeroblob(length(block)) WHERE id > 10"],
    [
      "hidden by a structure record that says there are none",
      "UPDATE messages_fts_data SET block = x'00000000000000' WHERE id = 10",
    ],
  ])(
    "P01 REP-01 REP-07 segments %s: the check names it, a search says so, an append is stored, a repair heals",
    async (_what, sql) => {
      using home = tempHome();
      const path = home.statePath;
      fill(path);
      edit(path, (db) => db.exec(sql));
      const damaged = await checkStore(path);
      expect(damaged.verdict).toBe("damaged");
      expect(damaged.findings.every(({ area }) => area === "search-index")).toBe(true);
      const before = needles(path);
      expect([before.hits, before.complete]).toEqual([MESSAGES, true]);
      {
        using store = openStateStore({ path });
        store.messages.append("s", { role: "user", content: "one more needle" });
      }
      const rows = rowsOf(path);
      const repaired = await applyRepair(path);
      expect([repaired.repaired, repaired.error]).toEqual([true, null]);
      expect(await checkStore(path, { level: "full" })).toMatchObject({ verdict: "healthy" });
      expect(needles(path)).toEqual({ hits: MESSAGES + 1, complete: true });
      expect(rowsOf(path)).toEqual(rows);
    },
  );

  it("P02 REP-01 a lost page of messages: health says so, names the rows and leaves the file as it is", async () => {
    using home = tempHome();
    const path = home.statePath;
    fill(path);
    const leaves = leavesOf(path, "messages");
    zeroPage(path, leaves[Math.floor(leaves.length / 2)] ?? 2);
    const before = fileHash(path);
    for (const level of ["quick", "full"] as const) {
      const report = await checkStore(path, { level });
      expect([level, report.verdict]).toEqual([level, "damaged"]);
      expect(report.findings.filter(({ area }) => area === "rows").map(({ object }) => object)).toContain("messages");
    }
    const { verdict, lines, fixes } = await doctor(path, { fix: true });
    expect(verdict).toBe("damaged");
    expect(lines.some(({ level, action }) => level === "problem" && action?.includes("hermes-state"))).toBe(true);
    expect(fixes.map(({ outcome }) => outcome)).toEqual(["refused"]);
    expect(fixes[0]?.text).toContain("hermes-state recover");
    expect(fileHash(path)).toBe(before);
  });
});
