import { spawn, spawnSync } from "node:child_process";
import { openStateStore } from "@hermes/state-core";
import { childEnvironment, type TempHome, tempHome } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandPath, fillHome, hermes, hermesJson } from "./support.js";

let home: TempHome;
let at: string[];

beforeAll(() => {
  home = tempHome();
  at = ["--home", home.path];
  fillHome(home.path);
  using store = openStateStore({ path: home.statePath });
  store.sessions.create({ id: "hostile", source: "cli", startedAtSeconds: 1_700_000_000 });
  store.messages.append("hostile", {
    role: "user",
    content: "red \u001b[31m bell \u0007 c1 \u009b2J rtl \u202etxt.exe",
  });
  store.sessions.create({ id: "bad-row", source: "cli", startedAtSeconds: 1_600_000_000 });
  store.sessions.create({ id: "absurd", source: "cli", startedAtSeconds: 1_500_000_000 });
  store.write("spoil for a test", (w) => {
    w.run("UPDATE sessions SET started_at = 'not-a-timestamp' WHERE id = 'bad-row'");
    w.run("UPDATE sessions SET started_at = 5.49e246 WHERE id = 'absurd'");
  });
});
afterAll(() => home[Symbol.dispose]());

interface Listed {
  readonly sessions: readonly Record<string, unknown>[];
}

describe("what the command prints", () => {
  it("gives keys in camelCase, and times in ISO-8601 beside REAL seconds", () => {
    const { session, messages } = hermesJson<{ session: Record<string, unknown>; messages: Record<string, unknown>[] }>(
      ["sessions", "show", "s1", ...at],
    );
    const seconds = session["startedAtSeconds"] as number;
    expect(session).toMatchObject({
      id: "s1",
      title: "First 旅行",
      messageCount: 2,
      startedAt: new Date(seconds * 1000).toISOString(),
    });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(messages[0]?.["timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(messages[1]?.["toolCalls"]).toEqual([{ id: "c", function: { name: "ls", arguments: "{}" } }]);
    expect([...Object.keys(session), ...Object.keys(messages[0] ?? {})].filter((key) => /[_-]/.test(key))).toEqual([]);
  });

  it("prints one record per line with --jsonl", () => {
    const lines = hermes(["sessions", "list", "--jsonl", ...at])
      .stdout.trimEnd()
      .split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id).sort()).toEqual([
      "absurd",
      "bad-row",
      "hostile",
      "s1",
    ]);
  });

  it("finds a session by id, by a unique beginning and by its title", () => {
    for (const text of ["s1", "First 旅行", "host"]) {
      const { session } = hermesJson<{ session: { id: string } }>(["sessions", "show", text, ...at]);
      expect(session.id).toBe(text === "host" ? "hostile" : "s1");
    }
  });

  it("shows the last messages, and every row with --raw", () => {
    const last = hermesJson<{ messages: unknown[] }>(["sessions", "show", "s1", "--last", "1", ...at]);
    expect(last.messages).toMatchObject([{ role: "assistant" }]);
    const raw = hermesJson<{ messages: unknown[] }>(["sessions", "show", "s1", "--raw", "--last", "1", ...at]);
    expect(raw.messages).toMatchObject([{ role: "assistant", active: true, compacted: false, sessionId: "s1" }]);
  });

  it("searches both languages and marks what it found", () => {
    for (const query of ["deploy", "数据库"]) {
      const { hits, complete } = hermesJson<{ hits: Record<string, string>[]; complete: boolean }>([
        "search",
        query,
        ...at,
      ]);
      expect([hits.length, complete]).toEqual([1, true]);
      expect(hits[0]).toMatchObject({ sessionId: "s1", role: "user", messageId: expect.any(Number) as number });
      expect(hits[0]?.["snippet"]).toContain(`>>>${query}<<<`);
      expect(hits[0]?.["timestamp"]).toMatch(/Z$/);
    }
    expect(JSON.parse(hermes(["search", ...at, "--json", "--", "-deploy"]).stdout)).toMatchObject({
      hits: expect.any(Array) as unknown[],
    });
  });

  it("shows the neighbours of a hit when asked to", () => {
    expect(hermes(["search", "deploy", "--context", "1", ...at]).stdout).toContain(
      "assistant: It races with the migration.",
    );
    expect(hermes(["search", "deploy", "--context", "0", ...at]).stdout).not.toContain("It races");
    expect(hermes(["search", "deploy", "--context", "2", ...at]).code).toBe(2);
  });

  it("lets no stored character steer the terminal, in any mode", () => {
    for (const words of [
      ["sessions", "show", "hostile"],
      ["sessions", "list"],
      ["search", "bell"],
      ["export", "--format", "md"],
    ]) {
      for (const mode of [[], ["--json"], ["--jsonl"]]) {
        const run = hermes([...words, ...mode, ...at]);
        // eslint-disable-next-line no-control-regex
        expect(run.stdout, words.join(" ")).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }
    }
    expect(hermes(["sessions", "show", "hostile", ...at]).stdout).toContain("\\u001b[31m");
    const { messages } = hermesJson<{ messages: { content: string }[] }>(["sessions", "show", "hostile", ...at]);
    expect(messages[0]?.content).toBe("red \u001b[31m bell \u0007 c1 \u009b2J rtl \u202etxt.exe");
  });

  it("P28 shows a bad cell as unknown, names it on standard error, and lets it not lead the list", () => {
    const run = hermes(["sessions", "list", ...at]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("unknown");
    for (const id of ["bad-row", "absurd"])
      expect(run.stderr).toContain(`session "${id}" has unreadable values: startedAtSeconds`);
    const { sessions } = hermesJson<Listed>(["sessions", "list", ...at]);
    expect(sessions.slice(0, 2).map(({ id }) => id)).toEqual(["s1", "hostile"]);
    expect(sessions.find(({ id }) => id === "absurd")).toMatchObject({ damaged: ["startedAtSeconds"] });
    expect(hermes(["export", ...at]).code).toBe(0);
    expect(hermes(["sessions", "list", "--quiet", ...at]).stderr).toBe("");
  });

  it("pages with a limit and a cursor", () => {
    const first = hermesJson<{ sessions: { id: string }[]; nextCursor: string }>([
      "sessions",
      "list",
      "--limit",
      "3",
      ...at,
    ]);
    expect(first.sessions).toHaveLength(3);
    const second = hermesJson<{ sessions: { id: string }[]; nextCursor: null }>([
      "sessions",
      "list",
      "--limit",
      "3",
      "--cursor",
      first.nextCursor,
      ...at,
    ]);
    expect([second.sessions.length, second.nextCursor]).toEqual([1, null]);
  });

  it("colours only a terminal, and obeys NO_COLOR, FORCE_COLOR, TERM=dumb and --no-color", () => {
    const show = ["sessions", "show", "s1", ...at];
    const colored = (words: readonly string[], env: Record<string, string | undefined>): boolean =>
      hermes(words, {
        env: { NO_COLOR: undefined, FORCE_COLOR: undefined, TERM: "xterm", CI: undefined, ...env },
      }).stdout.includes("\u001b[");
    expect(colored(show, {})).toBe(false);
    expect(colored(show, { FORCE_COLOR: "1" })).toBe(true);
    expect(colored(show, { FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
    expect(colored([...show, "--no-color"], { FORCE_COLOR: "1" })).toBe(false);
    expect(colored([...show, "--json"], { FORCE_COLOR: "1" })).toBe(false);
    expect(colored(show, { TERM: "dumb" })).toBe(false);
  });

  it("ends quietly when its reader has gone", async () => {
    using big = tempHome();
    using store = openStateStore({ path: big.statePath });
    store.sessions.create({ id: "big", source: "cli" });
    store.messages.appendBatch(
      "big",
      Array.from({ length: 300 }, () => ({ role: "user", content: "x".repeat(10_000) })),
    );
    for (const words of [["export"], ["sessions", "show", "big"], ["sessions", "show", "big", "--jsonl"]]) {
      const child = spawn(process.execPath, [commandPath(), ...words, "--home", big.path], { env: childEnvironment() });
      let stderr = "";
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      child.stdout.once("data", () => child.stdout.destroy());
      const code = await new Promise((resolve) => child.once("exit", resolve));
      expect([words.join(" "), code, stderr]).toEqual([words.join(" "), 0, ""]);
    }
  });

  it("ends quietly in a real pipe to head", () => {
    const line = `"${process.execPath}" "${commandPath()}" sessions list --jsonl --quiet --home "${home.path}" | head -n 1`;
    const run = spawnSync("sh", ["-c", line], { encoding: "utf8", timeout: 30_000, env: childEnvironment() });
    expect([run.status, run.stderr, run.stdout.split("\n").length]).toEqual([0, "", 2]);
  });

  it("appends one message from the line, from standard input and from a file, all or none", () => {
    using other = tempHome();
    fillHome(other.path);
    const to = ["--home", other.path];
    expect(hermesJson(["sessions", "append", "s1", "--content", "plain", ...to])).toMatchObject({
      sessionId: "s1",
      ids: [3],
    });
    expect(
      hermesJson(["sessions", "append", "s1", "--role", "assistant", "--content", "-", ...to], { input: "piped\n" }),
    ).toMatchObject({ ids: [4] });
    const bad = hermes(["sessions", "append", "s1", "--jsonl", "-", ...to], {
      input: '{"role":"user","content":"a"}\n{"content":"b"}\n',
    });
    expect([bad.code, bad.stderr.includes("line 2")]).toEqual([1, true]);
    const { messages } = hermesJson<{ messages: { role: string; content: string }[] }>([
      "sessions",
      "show",
      "s1",
      "--raw",
      ...to,
    ]);
    expect(messages.slice(2).map(({ role, content }) => [role, content])).toEqual([
      ["user", "plain"],
      ["assistant", "piped\n"],
    ]);
  });
});
