import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { spawnNode, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { Driver, StateStore } from "../src/index.js";
import { childScript } from "./worker.js";
import { wrappedDriver } from "./wrapped-driver.js";

type Missing = "fts5" | "trigram";

/** What a library answers that was built without a module or a tokenizer. */
function refusal(missing: Missing): Error {
  const text = missing === "fts5" ? "no such module: fts5" : "no such tokenizer: trigram";
  return Object.assign(new Error(text), { code: "SQLITE_ERROR" });
}

/**
 * Stands in for a SQLite library without a capability. Whatever reaches an index table fails as it does there:
 * creating, reading and writing it, and writing a message while a trigger into it exists.
 */
function without(missing: Missing): Driver {
  const table =
    missing === "fts5"
      ? /\bfts5\b|\bmessages_fts(_trigram)?\b(?!_)/
      : /tokenize\s*=\s*'trigram'|\bmessages_fts_trigram\b(?!_)/;
  const half = missing === "fts5" ? "messages\\_fts%" : "messages\\_fts\\_trigram%";
  const triggers = `SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE '${half}' ESCAPE '\\'`;
  return wrappedDriver(`without ${missing}`, {
    running: (sql, connection) => {
      const naming = /sqlite_(master|schema)|DROP TRIGGER|pragma_|^PRAGMA/i.test(sql);
      if (!naming && table.test(sql) && !/^\s*CREATE\s+(TRIGGER|VIEW)/i.test(sql)) throw refusal(missing);
      if (!/^\s*(INSERT INTO|UPDATE|DELETE FROM) "?messages"?\b/i.test(sql)) return;
      const [[count] = [0]] = connection.prepare(triggers, "tuple").all([]) as number[][];
      if ((count ?? 0) > 0) throw refusal(missing);
    },
    answered: (sql, row) => {
      if (!sql.includes("pragma_module_list")) return row;
      // How the stack asks: the module list, and the version that brought the tokenizer.
      return { ...(row as object), ...(missing === "fts5" ? { fts5: 0 } : { version: "3.33.0" }) };
    },
  });
}

const WORD = "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?";
const TRIGRAM = "SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH ?";

function hits(store: StateStore, sql: string, text: string): number {
  return store.read((r) => r.all(sql, [text])).length;
}

function checkIndexes(store: StateStore): void {
  store.write("check both indexes", (w) => {
    w.run("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)");
    w.run("INSERT INTO messages_fts_trigram(messages_fts_trigram, rank) VALUES ('integrity-check', 1)");
  });
}

describe("a library that lacks a capability", () => {
  it("P26 SCH-08 without fts5 a new store takes messages, and a capable open completes it", () => {
    using dir = tempDir("skew");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path, driver: without("fts5") });
      expect(store.info().capabilities).toEqual({ fts5: false, trigram: false });
      store.sessions.create({ id: "s1", source: "test" });
      store.messages.append("s1", { role: "user", content: "papaya 大别山项目" });
      expect(store.messages.conversation("s1").messages).toHaveLength(1);
      expect(store.info().schemaVersion ?? 0).toBeLessThan(30);
    }
    using store = openStateStore({ path });
    const capabilities = { fts5: true, trigram: true };
    expect(store.info()).toMatchObject({ schemaVersion: 30, ftsLayout: 3, capabilities });
    expect(hits(store, WORD, "papaya")).toBe(1);
    expect(hits(store, TRIGRAM, "别山项")).toBe(1);
    checkIndexes(store);
  });

  it.each(["fts5", "trigram"] as const)(
    "P26 SCH-08 without %s an existing store keeps taking messages, and a capable open completes it",
    (missing) => {
      using dir = tempDir("skew");
      const path = dir.file("state.db");
      {
        using store = openStateStore({ path });
        store.sessions.create({ id: "s1", source: "test" });
        store.messages.append("s1", { role: "user", content: "papaya before 大别山项目" });
      }
      for (const content of ["papaya during 大别山项目", "papaya again 大别山项目"]) {
        using store = openStateStore({ path, driver: without(missing) });
        expect(store.info().capabilities.fts5).toBe(missing !== "fts5");
        expect(store.info().capabilities.trigram).toBe(false);
        store.messages.append("s1", { role: "user", content });
        expect(store.sessions.get("s1").messageCount).toBe(store.messages.count("s1"));
        if (missing === "trigram") expect(hits(store, WORD, "papaya")).toBe(store.messages.count("s1"));
      }
      using store = openStateStore({ path });
      expect(store.messages.count("s1")).toBe(3);
      expect(hits(store, WORD, "papaya")).toBe(3);
      expect(hits(store, TRIGRAM, "别山项")).toBe(3);
      checkIndexes(store);
    },
  );

  it("P26 SCH-08 T14 without trigram the second open rebuilds nothing: base triggers are judged alone", () => {
    using dir = tempDir("skew");
    const path = dir.file("state.db");
    openStateStore({ path, driver: without("trigram") }).close();
    const rebuilds: string[] = [];
    const watching = (event: unknown): void => {
      const { sql } = event as { sql: string };
      if (/'rebuild'|'delete-all'|CREATE VIRTUAL|DROP TABLE/i.test(sql)) rebuilds.push(sql);
    };
    subscribe("hermes:state:statement", watching);
    try {
      openStateStore({ path, driver: without("trigram") }).close();
    } finally {
      unsubscribe("hermes:state:statement", watching);
    }
    expect(rebuilds).toEqual([]);
  });

  it("P26 GND-04 a hidden native binding is one typed line with the remedy, and nothing is created", async () => {
    using dir = tempDir("skew");
    const path = dir.file("state.db");
    await using child = spawnNode(childScript("open-without-binding.mjs"), [path]);
    const end = await child.exit;
    expect(end.code).toBe(0);
    const { code, message, created } = JSON.parse(end.stdout) as { code: string; message: string; created: boolean };
    expect(code).toBe("STATE_E_DRIVER_UNAVAILABLE");
    expect(message.split("\n")).toHaveLength(1);
    expect(message).toContain("npm rebuild better-sqlite3");
    expect(created).toBe(false);
  });
});
