import { readdirSync } from "node:fs";
import { openStateStore, toWireMessages } from "@hermes/state-core";
import { RUNTIME_COLUMNS } from "@hermes/state-portability";
import { copyPeerFile, describePeer, peerExpected, peerFolder, tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";
import { exported, imported, open, records } from "./support.js";

const FILES = readdirSync(peerFolder() ?? ".").filter((name) => name.endsWith(".db"));

/** Records without what an import resets; the digest of the footer is left out with it. */
function comparable(text: string): unknown[] {
  return records(text).map((record) => ({
    ...record,
    row: Object.fromEntries(Object.entries(record.row).filter(([name]) => !RUNTIME_COLUMNS.has(name))),
  }));
}

describePeer("stores of real peers", () => {
  it.each(FILES)("P20 POR-01 moves every row of %s, read without changing it, into a new store", async (name) => {
    using home = tempHome();
    using source = openStateStore({ path: copyPeerFile(name, home), mode: "read" });
    const first = await exported(source, { format: "jsonl" });
    using target = open(home.file("new.db"));
    const report = await imported(target, first.text);
    expect(report).toMatchObject({ skipped: 0, failed: 0, detached: 0, leftOut: 0, addedColumns: [] });
    expect(report.imported).toBe(
      source.sessions.count({ includeChildren: true, archived: "include", hidden: "include" }),
    );
    const second = await exported(target, { format: "jsonl" });
    expect(comparable(second.text)).toEqual(comparable(first.text));
  });

  it("POR-03 carries the conversations of peer-small.db over in the peer's own format", async () => {
    using home = tempHome();
    using source = openStateStore({ path: copyPeerFile("peer-small.db", home), mode: "read" });
    const { text, report } = await exported(source, { format: "peer-jsonl" });
    expect([report.leftOut["archived"], report.leftOut["rewound"]]).toEqual([undefined, undefined]);
    const { report: subset } = await exported(source, { format: "peer-jsonl", peerSubset: true });
    expect(subset.leftOut["archived"]).toBeGreaterThan(0);
    expect(subset.leftOut["rewound"]).toBeGreaterThan(0);
    using target = open(home.file("new.db"));
    const got = await imported(target, text);
    expect(got).toMatchObject({ format: "peer", failed: 0, skipped: 0, detached: 0, imported: report.sessions });
    for (const { id } of records((await exported(source, { format: "jsonl" })).text).filter(
      ({ type }) => type === "session",
    )) {
      const conversation = (store: typeof source): unknown =>
        toWireMessages(store.messages.conversation(id ?? "").messages);
      expect(conversation(target), id).toEqual(conversation(source));
      const states = (store: typeof source): unknown =>
        [...store.messages.iterate(id ?? "", { include: "all" })].map(({ active, compacted }) => [active, compacted]);
      expect(states(target), id).toEqual(states(source));
    }
  });

  it("POR-03 reads what the peer's own export wrote", async () => {
    using home = tempHome();
    const expected = peerExpected<{
      export_lineage: { segments: { id: string; messages: { content: unknown }[] }[] };
    }>("peer-small.db");
    using target = open(home.statePath);
    const report = await imported(target, `${JSON.stringify(expected.export_lineage)}\n`);
    expect(report).toMatchObject({ format: "peer", imported: 3, failed: 0, detached: 0 });
    expect(target.lineage.chain("comp_root")).toEqual(["comp_root", "comp_mid", "comp_tip"]);
    for (const { id, messages } of expected.export_lineage.segments) {
      const stored = target.messages.page(id, { limit: 1000, include: "all" }).messages;
      expect(stored.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
    }
  });
});
