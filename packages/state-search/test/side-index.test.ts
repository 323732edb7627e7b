import { existsSync } from "node:fs";
import { openStateStore, type StateStore } from "@hermes/state-core";
import {
  describePython,
  openPeerDatabase,
  seedFor,
  startPythonPeer,
  tempDir,
  type PeerDatabase,
} from "@hermes/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { catchUpSideIndex, dropSideIndex, parseQuery } from "../src/index.js";
import { stepSideIndex } from "../src/side-index/catch-up.js";
import { judgedIds } from "./helpers/reference.js";
import { searchIds } from "./helpers/search-ids.js";

const QUERIES = [
  "数据",
  "服务端",
  "数 OR 務",
  "deploy",
  "deploy 端",
  "creme",
  "youer",
  "🚀",
  "🎉 OR deploy*",
  "absent OR 库",
];

const piece = fc.constantFrom(
  ..."deploy docker 服务端 数据库 服務 修改youer crème naïve 🚀 🎉 - ... x Привет ｶﾀｶﾅ".split(" "),
);
const text = fc
  .tuple(fc.array(piece, { maxLength: 6 }), fc.constantFrom(" ", "", "，"), fc.constantFrom(0, 0, 0, 400, 1200))
  // Some of it lies beyond what is held of a tool's output.
  .map(
    ([pieces, glue, filler]) =>
      `${pieces.join(glue)}${" filler".repeat(filler)}${filler > 1000 ? " 数据库 deploy" : ""}`,
  );

type Step =
  | { readonly kind: "append" | "edit" | "peer-edit"; readonly content: string; readonly at: number }
  | { readonly kind: "retag" | "delete" | "peer-delete"; readonly at: number }
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "merge"; readonly pages: number }
  | { readonly kind: "empty-index"; readonly at: number }
  | { readonly kind: "catch-up"; readonly rows: number }
  | { readonly kind: "triggers-off"; readonly content: string; readonly at: number }
  | { readonly kind: "drop" };

const at = fc.nat({ max: 40 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("append" as const), content: text, at }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom("edit" as const, "peer-edit" as const), content: text, at }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("retag" as const, "delete" as const, "peer-delete" as const), at }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("command" as const), command: fc.constantFrom("optimize", "rebuild") }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("merge" as const), pages: fc.constantFrom(1, 16, 500, -16) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("triggers-off" as const), content: text, at }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("catch-up" as const), rows: fc.constantFrom(1, 3, 10, 1000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("empty-index" as const), at }) },
  { weight: 1, arbitrary: fc.constant({ kind: "drop" as const }) },
);

const UPDATE = "UPDATE messages SET content = ? WHERE id = ?";
const DELETE = "DELETE FROM messages WHERE id = ?";
const UPDATE_TRIGGER = "SELECT sql FROM sqlite_master WHERE name = 'messages_fts_update'";

/** What random steps do to a store, some of them as a peer that knows nothing of the side index. */
class Actor {
  readonly #store: StateStore;
  readonly #peer: PeerDatabase;
  /** Rows up to this id are not in the word index, so that their triggers would damage it. */
  #notIndexed = 0;
  /** The word index holds other words of these, so that it would take their removal for damage. */
  readonly #unseen = new Set<number>();

  constructor(store: StateStore, peer: PeerDatabase) {
    this.#store = store;
    this.#peer = peer;
  }

  async act(done: Step): Promise<void> {
    switch (done.kind) {
      case "append":
        this.#store.messages.append("s1", { role: done.at % 5 === 0 ? "tool" : "user", content: done.content });
        return;
      case "edit":
        this.#run(UPDATE, [done.content, this.#id(done.at)]);
        return;
      case "peer-edit":
        await this.#peer.sql(UPDATE, [done.content, this.#id(done.at)]);
        return;
      case "retag":
        this.#run("UPDATE messages SET role = CASE role WHEN 'tool' THEN 'user' ELSE 'tool' END WHERE id = ?", [
          this.#id(done.at),
        ]);
        return;
      case "delete":
        this.#run(DELETE, [this.#id(done.at)]);
        return;
      case "peer-delete":
        await this.#peer.sql(DELETE, [this.#id(done.at)]);
        return;
      case "command":
        this.#run("INSERT INTO messages_fts(messages_fts) VALUES (?)", [done.command]);
        if (done.command === "rebuild") {
          this.#notIndexed = 0;
          this.#unseen.clear();
        }
        return;
      case "empty-index":
        this.#emptyIndex(this.#id(done.at));
        return;
      case "merge":
        this.#run("INSERT INTO messages_fts(messages_fts, rank) VALUES ('merge', ?)", [done.pages]);
        return;
      case "triggers-off":
        this.#editUnseen(done.content, this.#id(done.at));
        return;
      case "catch-up":
        if (done.rows >= 1000) catchUpSideIndex(this.#store);
        else stepSideIndex(this.#store, { rows: done.rows, characters: 1_000_000 }, 500);
        return;
      case "drop":
        dropSideIndex(this.#store.path);
    }
  }

  /** Empties the word index and indexes only a part of the rows again, without any marker. */
  #emptyIndex(upTo: number): void {
    this.#store.write("test: empty the index", (w) => {
      w.exec("INSERT INTO messages_fts(messages_fts) VALUES ('delete-all')");
      w.run(
        `INSERT INTO messages_fts(rowid, content, tool_name, tool_calls)
         SELECT id, content, tool_name, tool_calls FROM messages_fts_src WHERE id > ?`,
        [upTo],
      );
    });
    this.#notIndexed = upTo;
    this.#unseen.clear();
  }

  /** What no trigger sees: the word index stays behind, so that only rows beyond ASCII are looked for afterwards. */
  #editUnseen(content: string, id: number): void {
    this.#unseen.add(id);
    this.#store.write("test: edit without the trigger", (w) => {
      const { sql } = w.get<{ sql: string }>(UPDATE_TRIGGER) ?? { sql: "" };
      w.exec("DROP TRIGGER messages_fts_update");
      w.run(UPDATE, [`${content} é`, id]);
      w.exec(sql);
    });
  }

  #run(sql: string, params: readonly (string | number)[]): void {
    this.#store.write("test: change", (w) => w.run(sql, params));
  }

  #id(at: number): number {
    const rows = this.#store.read((r) =>
      r.tuples<[number]>("SELECT id FROM messages WHERE id > ? ORDER BY id", [this.#notIndexed]),
    );
    const ids = rows.map(([id]) => id).filter((id) => !this.#unseen.has(id));
    return ids[at % Math.max(1, ids.length)] ?? 0;
  }
}

describePython("the side index", () => {
  it("SEA-01 SEA-03 changes no answer, whatever others do to rows and index in between", async () => {
    const seed = seedFor("side index");
    await using peer = await startPythonPeer();
    using dir = tempDir("side-index");
    let file = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        using store = openStateStore({ path: dir.file(`state-${String(++file)}.db`), durability: "normal" });
        using reader = openStateStore({ path: store.path, mode: "read" });
        store.sessions.create({ id: "s1", source: "cli" });
        for (const content of ["服务端 deploy", "数据库", "plain", "🚀", "修改youer服务端"]) {
          store.messages.append("s1", { role: "user", content });
        }
        const database = await openPeerDatabase(peer, store.path);
        const actor = new Actor(store, database);
        for (const [index, done] of steps.entries()) {
          await actor.act(done);
          const query = QUERIES[index % QUERIES.length] ?? "";
          const { root } = parseQuery(query);
          const expected = root ? judgedIds(store, root) : [];
          expect(searchIds(store, query), `${query} after ${JSON.stringify(done)}`).toEqual(expected);
          expect(searchIds(reader, query), `${query}, read only`).toEqual(expected);
        }
        await database.close();
        dropSideIndex(store.path);
        expect(existsSync(`${store.path}.search-side`)).toBe(false);
      }),
      { seed, numRuns: 20 },
    );
  }, 240_000);
});
