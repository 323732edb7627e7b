import { openStateStore } from "@hermes/state-core";
import { type TempHome, tempHome } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hermes, hermesJson } from "./support.js";

let home: TempHome;
let at: string[];

beforeAll(() => {
  home = tempHome();
  at = ["--home", home.path];
  using store = openStateStore({ path: home.statePath });
  const make = (id: string, source: string, cwd: string, startedAtSeconds: number, parentSessionId?: string): void => {
    store.sessions.create({ id, source, cwd, startedAtSeconds, ...(parentSessionId && { parentSessionId }) });
  };
  make("a", "cli", "/srv/Shop", 1_700_000_001);
  make("b", "telegram", "/srv/shop/web", 1_700_000_002);
  make("c", "cli", "/srv/shopping", 1_700_000_003);
  make("d", "cron", "/home/x", 1_700_000_004);
  make("child", "subagent", "/home/x", 1_700_000_005, "a");
  make("archived", "cli", "/home/x", 1_700_000_006);
  make("hidden", "cli", "/home/x", 1_700_000_007);
  store.messages.append("a", { role: "user", content: "recent", timestampSeconds: 1_800_000_000 });
  store.write("flags", (w) => {
    w.run("UPDATE sessions SET archived = 1 WHERE id = 'archived'");
    w.run("UPDATE sessions SET hidden = 1 WHERE id = 'hidden'");
  });
});
afterAll(() => home[Symbol.dispose]());

interface Listed {
  readonly sessions: readonly { readonly id: string }[];
  readonly nextCursor: string | null;
}

function list(...words: string[]): string[] {
  return hermesJson<Listed>(["sessions", "list", ...words, ...at]).sessions.map(({ id }) => id);
}

describe("sessions list", () => {
  it.each<[string, string[], string[]]>([
    ["nothing more", [], ["d", "c", "b", "a"]],
    ["a source", ["--source", "cli"], ["c", "a"]],
    ["two sources", ["--source", "cli", "--source", "cron"], ["d", "c", "a"]],
    ["all but a source", ["--exclude-source", "cli"], ["d", "b"]],
    ["only archived", ["--archived"], ["archived"]],
    ["archived too", ["--all"], ["archived", "d", "c", "b", "a"]],
    ["hidden too", ["--hidden"], ["hidden", "d", "c", "b", "a"]],
    ["children too", ["--children"], ["child", "d", "c", "b", "a"]],
    ["by activity", ["--order", "active"], ["a", "d", "c", "b"]],
    ["a folder and below", ["--workspace", "/srv/shop"], ["b"]],
    ["part of a folder's name, in any case", ["--workspace", "shop"], ["c", "b", "a"]],
    ["part of a name, before the limit", ["--workspace", "shop", "--limit", "1"], ["c"]],
  ])("takes %s", (_what, words, ids) => {
    expect(list(...words)).toEqual(ids);
  });

  it("goes on exactly where a page by a part of a name ended", () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string[] = cursor === null ? [] : ["--cursor", cursor];
      const page = hermesJson<Listed>(["sessions", "list", "--workspace", "shop", "--limit", "1", ...more, ...at]);
      seen.push(...page.sessions.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null && seen.length < 10);
    expect(seen).toEqual(["c", "b", "a"]);
  });
});

describe("export", () => {
  it("takes the same filters, and leaves no draft behind when they are refused", () => {
    const words = ["export", "--format", "peer-jsonl", "--quiet", ...at];
    const ids = (more: string[]): string[] =>
      hermes([...words, ...more])
        .stdout.split("\n")
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { id: string }).id)
        .sort();
    expect(ids(["--workspace", "shop"])).toEqual(["a", "b", "c"]);
    expect(ids(["--source", "subagent"])).toEqual(["child"]);
    const refused = hermes(["export", home.file("x.md"), "--format", "md", "--archived", "--all", ...at]);
    expect(refused.code).toBe(2);
    expect(hermes(["export", home.file("x.md"), "--session", "a", "--all", ...at]).code).toBe(2);
    expect(hermes(["path", ...at]).code).toBe(0);
  });
});

describe("status", () => {
  it("tells size, journal mode, counts, index state and holders", () => {
    expect(hermesJson(["status", ...at])).toMatchObject({
      path: home.statePath,
      exists: true,
      journalMode: "wal",
      schemaVersion: 30,
      counts: { sessions: 7, messages: 1 },
      index: { layout: 3, stale: false, word: { present: true, triggers: true, readable: true } },
      holders: [],
    });
  });

  it("names the process that holds the store", () => {
    using store = openStateStore({ path: home.statePath });
    store.sessions.count();
    const { holders } = hermesJson<{ holders: { pid: number }[] }>(["status", ...at]);
    expect(holders.map(({ pid }) => pid)).toContain(process.pid);
  });
});
