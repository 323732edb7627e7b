import { openStateStore, type StateStore } from "@hermes/state-core";
import { seedFor, type TempDir, tempDir } from "@hermes/testkit";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changesSince } from "./changes-since.js";
import { followedTo, type Followed } from "./followed.js";
import { lookAtIndex, type IndexLook } from "./look-at-index.js";

const ANY_ID = Number.MAX_SAFE_INTEGER;

describe("the word index as a log", () => {
  let dir: TempDir;
  let store: StateStore;

  beforeEach(() => {
    dir = tempDir("follow");
    store = openStateStore({ path: dir.file("state.db"), durability: "normal" });
    store.sessions.create({ id: "s1", source: "cli" });
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  const say = (content: string): number => store.messages.append("s1", { role: "user", content }).id;
  const command = (text: string): void => {
    store.write("test: index command", (w) => w.exec(`INSERT INTO messages_fts(messages_fts) VALUES ('${text}')`));
  };
  const merge = (pages: number): void => {
    store.write("test: merge", (w) => {
      w.exec(`INSERT INTO messages_fts(messages_fts, rank) VALUES ('merge', ${String(pages)})`);
    });
  };
  const edit = (id: number, content: string): void => {
    store.write("test: edit", (w) => w.run("UPDATE messages SET content = ? WHERE id = ?", [content, id]));
  };
  const contentOf = (id: number): string | undefined =>
    store.read((r) => r.get<{ content: string }>("SELECT content FROM messages WHERE id = ?", [id])?.content);
  const follow = (): Followed => store.read((r) => followedTo(r, lookAtIndex(r) as IndexLook));
  const since = (followed: Followed, mostPages = 1000): number[] | "any" =>
    store.read((r) => {
      const changes = changesSince(r, lookAtIndex(r) as IndexLook, followed, ANY_ID, mostPages);
      return changes === "any" ? "any" : [...changes].sort((a, b) => a - b);
    });

  it("SEA-03 names what was appended, edited and deleted since, though no length changed", () => {
    const ids = ["one 服务端", "two 服务端", "three", "four"].map(say);
    const followed = follow();
    expect(since(followed)).toEqual([]);
    edit(ids[1] ?? 0, "two 数据库");
    expect(since(followed)).toEqual([ids[1]]);
    store.write("test: delete", (w) => w.run("DELETE FROM messages WHERE id = ?", [ids[2] ?? 0]));
    const last = say("five");
    expect(since(followed)).toEqual([ids[1], ids[2], last]);
    expect(since(follow())).toEqual([]);
  });

  it("SEA-03 trusts nothing after the index was emptied, rebuilt or detached, nor beyond its budget", () => {
    for (let index = 0; index < 5; index++) say(`row ${String(index)}`);
    const followed = follow();
    const longer = say("words ".repeat(20) + Array.from({ length: 4000 }, (_, index) => `w${String(index)}`).join(" "));
    expect(since(followed)).toEqual([longer]);
    expect(since(followed, 2)).toBe("any");
    command("rebuild");
    expect(since(followed)).toBe("any");
    command("delete-all");
    for (let index = 0; index < 12; index++) say(`row ${String(index)}`);
    expect(since(followed)).toBe("any");
    const attached = follow();
    store.write("test: drop a trigger", (w) => {
      w.exec("DROP TRIGGER messages_fts_update");
    });
    expect(since(attached)).toBe("any");
  });

  it("SEA-03 misses no row whatever is written and merged in between", () => {
    const seed = seedFor("follow");
    const word = fc.constantFrom("deploy", "服务端", "数据库", "x", "naïve", "🚀 ok");
    const short = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(" "));
    // Lists of positions, of rows and of terms that do not fit on a page.
    const repeated = word.map((piece) => `${piece} `.repeat(9_000));
    const varied = fc.nat({ max: 9 }).map((salt) => {
      return Array.from({ length: 1_500 }, (_, index) => `w${String(index * (salt + 1))}`).join(" ");
    });
    const text = fc.oneof({ weight: 8, arbitrary: short }, repeated, varied);
    const step = fc.oneof(
      { weight: 4, arbitrary: text.map((content) => ({ kind: "append" as const, content })) },
      {
        weight: 4,
        arbitrary: fc.tuple(fc.nat(), text).map(([at, content]) => ({ kind: "edit" as const, at, content })),
      },
      { weight: 1, arbitrary: fc.nat().map((at) => ({ kind: "delete" as const, at })) },
      { weight: 1, arbitrary: fc.constantFrom(2, 16, 500, -16).map((pages) => ({ kind: "merge" as const, pages })) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("optimize", "rebuild").map((text) => ({ kind: "command" as const, text })),
      },
      { weight: 2, arbitrary: fc.constant({ kind: "follow" as const }) },
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        let followed = follow();
        const touched = new Set<number>();
        const ids: number[] = [];
        for (const done of steps) {
          if (done.kind === "append") touched.add(ids[ids.push(say(done.content)) - 1] ?? 0);
          else if (done.kind === "merge") merge(done.pages);
          else if (done.kind === "command") command(done.text);
          else if (done.kind === "follow") {
            followed = follow();
            touched.clear();
          } else if (ids.length > 0) {
            const id = ids[done.at % ids.length] ?? 0;
            const before = contentOf(id);
            // An edit that changes nothing is none.
            if (done.kind === "edit" && before === done.content) continue;
            touched.add(id);
            if (done.kind === "edit") edit(id, done.content);
            else store.write("test: delete", (w) => w.run("DELETE FROM messages WHERE id = ?", [id]));
          }
          const found = since(followed);
          const missed = found === "any" ? [] : [...touched].filter((id) => !found.includes(id));
          // Rows that were deleted and edited since are edits of nothing.
          expect(missed.filter((id) => contentOf(id) !== undefined)).toEqual([]);
        }
      }),
      { seed, numRuns: 30 },
    );
  }, 60_000);
});
