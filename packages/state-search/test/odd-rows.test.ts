import { openStateStore, type NewMessage, type StateStore } from "@hermes/state-core";
import { ALL_FTS_TRIGGERS, createFtsObjects, type Writer } from "@hermes/state-schema";
import { type TempDir, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { searchMessages } from "../src/index.js";
import { relayout } from "./helpers/index-states.js";
import { searchIds } from "./helpers/search-ids.js";
import { ALL_STATES } from "./helpers/side-states.js";

/** A row that an index or LIKE sees otherwise than a reader does. */
interface OddRow {
  readonly what: string;
  readonly message: NewMessage;
  readonly found: readonly string[];
  readonly notFound: readonly string[];
}

function call(name: string, args: string): NewMessage {
  return { role: "assistant", content: "", toolCalls: [{ id: "c1", type: "function", function: { name, arguments: args } }] };
}

function structured(...texts: string[]): NewMessage {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGVsbG8gd29ybGQ" } };
  return { role: "user", content: [image, ...texts.map((text) => ({ type: "text", text }))] };
}

const ODD_ROWS: readonly OddRow[] = [
  {
    what: "a word glued to unsegmented runs",
    message: { role: "user", content: "请修改youer服务端代码" },
    found: ["youer", "youe*", "修改youer", "youer服务端", "修改youer服务端", "务端代"],
    notFound: ["you", "修改 NOT youer", "youer端", "修youer"],
  },
  {
    what: "a glued word behind another word of its script",
    message: { role: "user", content: "Python3的安装pip指南" },
    found: ["pip", "安装", "python3的", "python3 pip"],
    notFound: ["pi", "python"],
  },
  {
    what: "a glued word with diacritics",
    message: { role: "user", content: "修改Crème服务端" },
    found: ["creme", "crème", "cre\u0301me", "修改creme服务端"],
    notFound: ["cremes"],
  },
  {
    what: "a glued word with the Kelvin sign",
    message: { role: "user", content: "修改\u212ailo服务端" },
    found: ["kilo", "KILO"],
    notFound: ["ilo"],
  },
  {
    what: "a word after an escaped line break in the arguments of a call",
    message: call("terminal", JSON.stringify({ command: "cd x\nmake\tinstall" })),
    found: ["make", "install", "terminal", '"x make install"'],
    notFound: ["nmake", "tinstall", "command", "function", "c1"],
  },
  {
    what: "unsegmented text in the arguments of a call, escaped",
    message: call("grep_repo", '{"query": "\\u6570\\u636e\\u5e93\\u8fde\\u63a5", "port": 8080, "rate": 1.50}'),
    found: ["数据库连接", "数据", "8080", "1.50", "grep_repo"],
    notFound: ["u6570", "1.5", "port"],
  },
  {
    what: "unsegmented text in the arguments of a call, raw",
    message: { role: "assistant", content: "", toolCalls: '[{"function":{"name":"x","arguments":"{\\"q\\":\\"数据库连接\\"}"}}]' },
    found: ["数据库连接", "据库"],
    notFound: ["q"],
  },
  {
    what: "arguments that are no JSON",
    message: call("shell", 'echo "zebra" 数据库'),
    found: ["zebra", "数据库", "echo zebra"],
    notFound: [],
  },
  {
    what: "structured content",
    message: structured("a tangelo picture", "漓江 crème\nnewline"),
    found: ["tangelo", "漓江", "漓", "creme", "newline", "tangelo 漓江"],
    notFound: ["image_url", "base64", "text", "json", "nnewline", "u6f13"],
  },
  {
    what: "structured output of a tool",
    message: { role: "tool", toolName: "read_file", content: [{ type: "text", text: "quokka 数据库连接" }] },
    found: ["quokka", "数据库连接", "read_file"],
    notFound: ["json"],
  },
  {
    what: "text with a NUL",
    message: { role: "user", content: "mid\u0000nul 数据库\u0000连接池满" },
    found: ["mid", "nul", '"mid nul"', "数据库", "连接池满"],
    notFound: ["midnul", "数据库连接池满"],
  },
  {
    what: "output of a tool with a NUL",
    message: { role: "tool", content: "before\u0000after 数据库" },
    found: ["before", "after", "数据库"],
    notFound: [],
  },
  {
    what: "emoji sequences",
    message: { role: "user", content: "ship👩\u200d👩\u200d👧it ❤\ufe0f 👍🏽 🇫🇷🇺🇸" },
    found: ["👩\u200d👩\u200d👧", "👩", "❤", "❤\ufe0f", "👍", "👍🏽", "🇺🇸", "ship", "it", "ship👩"],
    notFound: ["👨", "🏽it"],
  },
  {
    what: "a script change without a space",
    message: { role: "user", content: "Δt=5μm helloпривет" },
    found: ["t", "δt", "5μm", "hello", "ПРИВЕТ", "helloпривет"],
    notFound: ['"hello привет"', "5m"],
  },
];

describe("rows that an index sees otherwise", () => {
  let dir: TempDir;
  let store: StateStore;

  beforeEach(() => {
    dir = tempDir("odd-rows");
    store = openStateStore({ path: dir.file("state.db") });
    store.sessions.create({ id: "s1", source: "cli" });
    store.messages.append("s1", { role: "user", content: "an ordinary row" });
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  for (const { what, message, found, notFound } of ODD_ROWS) {
    it(`SEA-01 SEA-17 P06 P08 finds and leaves what it should in every state of the index: ${what}`, () => {
      const { id } = store.messages.append("s1", message);
      store.messages.append("s1", { role: "user", content: "another ordinary row" });
      for (const state of ALL_STATES) {
        const searched = state.enter(store);
        for (const query of found) expect(searchIds(searched, query), `${state.name}: ${query}`).toContain(id);
        for (const query of notFound) expect(searchIds(searched, query), `${state.name}: ${query}`).not.toContain(id);
      }
    });
  }

  it("SEA-07 covers the first 8,192 characters of tool output, the rest when the tool role is asked for, and says so", () => {
    const filler = "- ".repeat(4090);
    const inside = store.messages.append("s1", { role: "tool", content: `${filler}quokka ${"- ".repeat(200)}zebra` }).id;
    const astride = store.messages.append("s1", { role: "tool", content: `${"- ".repeat(4094)}deployment` }).id;
    const wide = store.messages.append("s1", { role: "tool", content: `${"𠀋 ".repeat(4095)}数据库连接 okapi` }).id;
    for (const state of ALL_STATES) {
      const searched = state.enter(store);
      const ids = (query: string, whole = false): number[] => searchIds(searched, query, whole ? { roles: ["tool"] } : {});
      expect(ids("quokka"), state.name).toEqual([inside]);
      expect(ids("zebra"), state.name).toEqual([]);
      expect(ids("zebra", true), state.name).toEqual([inside]);
      expect([...ids("depl"), ...ids("depl*"), ...ids("deployment")], state.name).toEqual([]);
      expect(ids("deployment", true), state.name).toEqual([astride]);
      expect([...ids("okapi"), ...ids("库连接")], state.name).toEqual([]);
      expect(ids("okapi", true), state.name).toEqual([wide]);
      expect(ids("数据库连接", true), state.name).toEqual([wide]);
      const bounded = searchMessages(searched, "zebra");
      expect([bounded.complete, bounded.incompleteBecause]).toEqual([false, ["tool-output-truncated"]]);
      expect(searchMessages(searched, "zebra", { roles: ["tool"] }).incompleteBecause).toEqual(["roles-excluded"]);
    }
  });

  it("SEA-07 says that an answer is complete when no tool output is longer than what is searched", () => {
    store.messages.append("s1", { role: "tool", content: "字".repeat(8192) });
    expect(searchMessages(store, "ordinary")).toMatchObject({ complete: true, incompleteBecause: [] });
    store.messages.append("s1", { role: "tool", content: "字".repeat(8193) });
    expect(searchMessages(store, "ordinary")).toMatchObject({ complete: false });
  });

  it("SEA-01 reads content that is bytes or a number", () => {
    const insert = "INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('s1', 'user', ?, 1, 1)";
    store.write("test: odd cells", (w) => {
      w.run(insert, [Buffer.from("bytes of yak 数据库gnu连接")]);
      w.run(insert, [4711]);
    });
    for (const state of ALL_STATES) {
      const searched = state.enter(store);
      expect(searchIds(searched, "yak"), state.name).toHaveLength(1);
      expect(searchIds(searched, "gnu"), state.name).toHaveLength(1);
      expect(searchIds(searched, "数据库"), state.name).toHaveLength(1);
      expect(searchIds(searched, "4711"), state.name).toHaveLength(1);
    }
  });

  function withoutTriggers(change: (w: Writer) => void): void {
    store.write("test: change rows behind the index", (w) => {
      for (const name of ALL_FTS_TRIGGERS) w.exec(`DROP TRIGGER IF EXISTS ${name}`);
      change(w);
      createFtsObjects(w, 3);
    });
  }

  it("SEA-01 finds a row that a writer without the index left out of it", () => {
    const insert = "INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('s1', 'user', ?, 1, 1)";
    relayout(store, 3);
    withoutTriggers((w) => w.run(insert, ["wombat 数据库连接"]));
    expect(searchMessages(store, "wombat")).toMatchObject({ route: "word", hits: [{ sessionId: "s1" }] });
    expect(searchMessages(store, "数据库连接")).toMatchObject({ route: "trigram", hits: [{ sessionId: "s1" }] });
  });

  it("SEA-08 reads rows of the gap that an index not yet emptied holds in an older state", () => {
    const { id } = store.messages.append("s1", { role: "user", content: "wombat 数据库连接" });
    store.write("test: announce a backfill", (w) => {
      const marker = "INSERT INTO state_meta (key, value) VALUES (?, ?)";
      w.run(marker, ["fts_rebuild_high_water", String(id)]);
      w.run(marker, ["fts_rebuild_progress", "-1"]);
      w.run("UPDATE messages SET content = 'quokka 服务端配置' WHERE id = ?", [id]);
    });
    expect(["quokka", "服务端配置"].flatMap((query) => searchIds(store, query))).toEqual([id, id]);
    expect(["wombat", "数据库连接"].flatMap((query) => searchIds(store, query))).toEqual([]);
  });

  it("SEA-17 finds no row by a word that only the index still holds", () => {
    const { id } = store.messages.append("s1", { role: "user", content: "wombat 数据库连接" });
    withoutTriggers((w) => w.run("UPDATE messages SET content = 'changed' WHERE id = ?", [id]));
    expect(searchIds(store, "wombat")).toEqual([]);
    expect(searchIds(store, "数据库连接")).toEqual([]);
  });

  it("SEA-03 finds the rows of a session that was admitted to the trigram index only later", () => {
    store.sessions.create({ id: "job", source: "cron" });
    const { id } = store.messages.append("job", { role: "user", content: "数据库连接" });
    store.write("test: retag", (w) => w.run("UPDATE sessions SET source = 'cli' WHERE id = 'job'"));
    expect(searchMessages(store, "数据库连接")).toMatchObject({ route: "trigram", hits: [{ id }] });
  });

  it("SEA-01 narrows by nothing that must not be there", () => {
    const { id } = store.messages.append("s1", { role: "user", content: "wombat 修改quokka服务端" });
    for (const state of ALL_STATES) {
      const searched = state.enter(store);
      const queries = ["wombat NOT zebra", "wombat NOT 数据", "服务端 NOT zebra", "quokka NOT quok", "wombat NOT (zebra OR 数据库连接)"];
      for (const query of queries) expect(searchIds(searched, query), `${state.name}: ${query}`).toEqual([id]);
      for (const query of ["wombat NOT quokka", "服务端 NOT wombat", "quokka NOT 修改"]) {
        expect(searchIds(searched, query), `${state.name}: ${query}`).toEqual([]);
      }
    }
  });

  it("SEA-04 puts the rows that were read among those the index named, in order of time, page by page", () => {
    const texts = ["needle", "修改needle服务端", "a needle", "the needle数据"];
    const messages = Array.from({ length: 40 }, (_, index) => ({
      role: "user",
      content: texts[(index * 7) % 4] ?? "",
      timestampSeconds: 1000 + ((index * 13) % 40),
    }));
    const receipts = store.messages.appendBatch("s1", messages);
    const byTime = receipts
      .map(({ id }, index) => ({ id, seconds: messages[index]?.timestampSeconds ?? 0 }))
      .sort((a, b) => a.seconds - b.seconds)
      .map(({ id }) => id);
    for (const sort of ["oldest", "newest"] as const) {
      const wanted = sort === "oldest" ? byTime : [...byTime].reverse();
      const found: number[] = [];
      let cursor: string | undefined;
      do {
        const page = searchMessages(store, "needle", { sort, limit: 7, ...(cursor !== undefined && { cursor }) });
        expect(page.route).toBe("word");
        found.push(...page.hits.map((hit) => hit.id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(found).toEqual(wanted);
      const third = searchMessages(store, "needle", { sort, limit: 7, offset: 14 });
      expect(third.hits.map((hit) => hit.id)).toEqual(wanted.slice(14, 21));
    }
  });

  it("SEA-03 SEA-04 finds the rows of scheduled and delegated sessions by their source (R27)", () => {
    for (const source of ["cron", "subagent"]) {
      store.sessions.create({ id: source, source });
      store.messages.append(source, { role: "user", content: "数据库连接" });
    }
    for (const state of ALL_STATES) {
      const searched = state.enter(store);
      expect(searchIds(searched, "数据库连接", { sources: ["cron"] }), state.name).toHaveLength(1);
      expect(searchIds(searched, "数据库连接"), state.name).toHaveLength(2);
    }
  });
});
