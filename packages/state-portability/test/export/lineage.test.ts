import type { StateStore } from "@hermes/state-core";
import { exportStore, importInto, fileSink, lineageSessions } from "@hermes/state-portability";
import type { LineageScope } from "@hermes/state-portability";
import { tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";
import { exported, memorySink, open } from "../support.js";
import { FAMILY, fillFamily, stock } from "./family.js";

const TREE = ["root", "middle", "branch", "branch2", "tip", "helper", "helper2", "reset", "lost"];

/** What the model sees of a session; markers name the store they come from. */
function talk(store: StateStore, id: string): object[] {
  return store.messages.conversation(id).messages.map((message) => ({ ...message, _persisted: undefined }));
}

it.each<[LineageScope, string, string[]]>([
  ["single", "middle", ["middle"]],
  ["logical", "root", ["root", "middle", "tip"]],
  ["logical", "tip", ["root", "middle", "tip"]],
  ["logical", "branch2", ["branch", "branch2"]],
  ["logical", "helper", ["helper"]],
  ["tree", "root", TREE],
  ["tree", "helper2", TREE],
  ["tree", "reset", TREE],
  ["tree", "other", ["other"]],
])("POR-08 exports with lineage %s of %s just what belongs to it", async (lineage, id, wanted) => {
  using home = tempHome();
  using store = open(home.statePath);
  fillFamily(store);
  const { text } = await exported(store, { format: "jsonl", sessionIds: [id], lineage });
  const ids = text.split("\n").flatMap((line) => /^\{"type":"session","id":"([^"]+)"/.exec(line)?.[1] ?? []);
  expect(ids).toEqual(wanted);
  expect(lineageSessions(store, [id, id], lineage)).toEqual(wanted);
});

it("POR-08 brings the same lineage into an empty store: root, tips, branches, delegates and resets", async () => {
  using home = tempHome();
  using from = open(home.statePath);
  fillFamily(from);
  const out = home.file("tree.jsonl");
  await exportStore(from, fileSink(from, out), { format: "jsonl", sessionIds: ["helper"], lineage: "tree" });
  using to = open(home.file("to.db"));
  expect(await importInto(to, out)).toMatchObject({ imported: 9, failed: 0, detached: 0 });
  const { other: _other, ...family } = FAMILY;
  expect(stock(to)).toEqual(family);
  for (const id of TREE) {
    expect({ id, chain: to.lineage.chain(id), tip: to.lineage.tip(id), root: to.lineage.root(id) }).toEqual({
      id,
      chain: from.lineage.chain(id),
      tip: from.lineage.tip(id),
      root: from.lineage.root(id),
    });
    expect(to.lineage.resumeTarget(id)).toBe(from.lineage.resumeTarget(id));
    expect(to.retention.getDeleteTargets(id)).toEqual(from.retention.getDeleteTargets(id));
    expect(talk(to, id)).toEqual(talk(from, id));
  }
  const again = await exported(to, { format: "jsonl", sessionIds: ["root"], lineage: "tree" });
  const before = await exported(from, { format: "jsonl", sessionIds: ["root"], lineage: "tree" });
  expect(again.text).toBe(before.text);
});

it("POR-08 ends at a ring of parents", async () => {
  using home = tempHome();
  using store = open(home.statePath);
  fillFamily(store);
  store.write("make a ring", (w) => w.run("UPDATE sessions SET parent_session_id = 'tip' WHERE id = 'root'"));
  expect(lineageSessions(store, ["middle"], "tree").sort()).toEqual([...TREE].sort());
  expect(lineageSessions(store, ["middle"], "logical").sort()).toEqual(["middle", "root", "tip"]);
});

it("POR-08 refuses an unknown session and scope, and a lineage of nothing", async () => {
  using home = tempHome();
  using store = open(home.statePath);
  fillFamily(store);
  for (const lineage of ["single", "logical", "tree"] as const) {
    await expect(
      exportStore(store, memorySink(), { format: "jsonl", sessionIds: ["nobody"], lineage }),
    ).rejects.toMatchObject({ code: "STATE_E_SESSION_NOT_FOUND" });
  }
  const wrong = { format: "jsonl", sessionIds: ["root"], lineage: "all" as never } as const;
  await expect(exportStore(store, memorySink(), wrong)).rejects.toThrow(RangeError);
  await expect(exportStore(store, memorySink(), { format: "jsonl", lineage: "tree" })).rejects.toThrow(TypeError);
});
