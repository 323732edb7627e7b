import { openStateStore } from "@hermes/state-core";
import { describePython, openPeerDatabase, startPythonPeer, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { checkStore } from "../src/index.js";

const structured = (text: string) => [
  { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
  { type: "text", text },
];
const UPDATE = "UPDATE messages SET content = ? WHERE id = ?";
const DELETE = "DELETE FROM messages WHERE id = ?";
const AFTER = `\0json:${JSON.stringify(structured("okapi 漓江山水甲天下"))}`;

async function verdict(path: string): Promise<unknown> {
  const { verdict: judged, findings } = await checkStore(path, { level: "full" });
  return [judged, findings.filter(({ severity }) => severity === "damage")];
}

describePython("a file that two SQLite libraries wrote", () => {
  for (const [first, second] of [
    ["Python", "this one"],
    ["this one", "Python"],
  ] as const) {
    it(`GND-07 is never called damaged: rows of ${first}, updated and deleted by ${second}`, async () => {
      using dir = tempDir("gnd-07-check");
      const path = dir.file("state.db");
      await using peer = await startPythonPeer();
      const byPython = first === "Python";
      const ids: number[] = [];
      {
        using store = openStateStore({ path });
        store.sessions.create({ id: "s1", source: "cli" });
        const filler = Array.from({ length: 60 }, (_, n) => ({
          role: "user",
          content: `filler ${n} ${"lorem ".repeat(60)}`,
        }));
        store.messages.appendBatch("s1", filler);
        const db = await openPeerDatabase(peer, path);
        for (let n = 0; n < 6; n++) {
          const message = { role: n % 2 === 0 ? "user" : "tool", content: structured("quokka 大别山项目的进展") };
          ids.push(byPython ? await db.append("s1", message) : store.messages.append("s1", message).id);
        }
        await db.close();
      }
      expect(await verdict(path)).toEqual(["healthy", []]);
      for (const [step, sql, params] of [
        ["updated", UPDATE, ids.slice(0, 4).map((id) => [AFTER, id])],
        ["deleted", DELETE, ids.slice(2).map((id) => [id])],
      ] as const) {
        {
          using store = openStateStore({ path });
          const db = await openPeerDatabase(peer, path);
          for (const values of params) {
            if (byPython) store.write(`test: ${step}`, (w) => w.run(sql, values));
            else await db.sql(sql, values);
          }
          await db.close();
        }
        expect(await verdict(path), step).toEqual(["healthy", []]);
      }
    });
  }
});

describe("a word that an index lost for one message", () => {
  it("REP-01 is noticed although other messages have the same word", async () => {
    using dir = tempDir("lost-word");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "cli" });
      store.messages.appendBatch(
        "s1",
        Array.from({ length: 6 }, () => ({ role: "user", content: "needles here" })),
      );
      store.write("test: lose the word of one message", (w) => {
        w.run("INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', 3, 'needles here')");
        w.run("INSERT INTO messages_fts(rowid, content) VALUES (3, 'other here')");
      });
    }
    const { verdict: judged, findings } = await checkStore(path, { level: "quick" });
    expect(findings.map(({ code }) => code)).toContain("index-terms");
    expect(judged).toBe("damaged");
  });
});
