import { openStateStore, type StateStore } from "@hermes/state-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sessionSearch, type SearchCaller, type SessionSearchArgs, type SessionSearchHost } from "../src/index.js";
import { sessionFixture, type SessionFixture } from "./helpers/session-fixture.js";

type Reply = Record<string, unknown>;

function sessionsOf(reply: Reply): unknown[] {
  expect(reply["success"]).toBe(true);
  return (reply["results"] as Reply[]).map((result) => result["session_id"]).sort();
}

describe("sessionSearch, other profiles", () => {
  let home: SessionFixture;
  let work: SessionFixture;
  let opened: StateStore[];
  let host: SessionSearchHost;

  beforeEach(() => {
    home = sessionFixture("profile-home");
    work = sessionFixture("profile-work");
    home.create("h", { title: "Home" });
    home.say("h", "needle at home");
    work.create("w", { title: "Work" });
    work.say("w", "needle at work");
    opened = [];
    const paths = new Map([["home", home.store.path], ["work", work.store.path], ["alias", home.store.path]]);
    host = {
      profile: "home",
      profileNames: () => ["broken", "home", "gone", "work", "alias"],
      openProfile: (name) => {
        if (name === "broken") throw new Error("file is not a database");
        const path = paths.get(name);
        if (path === undefined) return undefined;
        const store = openStateStore({ path, mode: "read" });
        opened.push(store);
        return store;
      },
    };
  });

  afterEach(() => {
    for (const store of opened) expect(() => store.read(() => 0), "a handle was left open").toThrow();
    home[Symbol.dispose]();
    work[Symbol.dispose]();
  });

  const ask = (args: SessionSearchArgs, more: SessionSearchHost = {}): Reply =>
    sessionSearch(home.store, args, { ...host, ...more });

  it("SEA-15 a plain query returns nothing of another profile", () => {
    expect(sessionsOf(ask({ query: "needle" }))).toEqual(["h"]);
    expect(sessionsOf(ask({ query: "Work" }))).toEqual([]);
    expect(sessionsOf(ask({}))).toEqual(["h"]);
    expect(opened).toEqual([]);
  });

  it("SEA-15 a named profile is searched, browsed, scrolled and read, and closed", () => {
    expect(sessionsOf(ask({ query: "needle", profile: " WORK " }))).toEqual(["w"]);
    expect(sessionsOf(ask({ profile: "work" }))).toEqual(["w"]);
    expect(ask({ profile: "work", session_id: "w", around_message_id: 1 })).toMatchObject({ link: "@session:work/w" });
    expect(ask({ profile: "work", session_id: "home/w" })).toMatchObject({ success: true, mode: "read" });
    expect(ask({ session_id: "@session:work/w" })).toMatchObject({ success: true, mode: "read" });
    expect(ask({ session_id: "work/h" })["success"]).toBe(false);
    expect(opened).toHaveLength(6);
  });

  it("SEA-15 refuses a profile that does not exist, breaks, or cannot be opened here", () => {
    for (const profile of ["gone", "broken", "../work", "a b"]) {
      expect(ask({ query: "needle", profile })["success"], profile).toBe(false);
    }
    expect(sessionSearch(home.store, { profile: "work" }, { profile: "home" })["success"]).toBe(false);
  });

  it("SEA-15 reads a session of whichever profile has it, past a broken one", () => {
    expect(ask({ session_id: "w" })).toMatchObject({
      success: true, profile: "work", link: "@session:work/w", messages: [{ content: "needle at work" }],
      profiles_skipped: 2,
    });
    expect(ask({ session_id: "h" })).not.toHaveProperty("profile");
    expect(ask({ session_id: "nobody" })["success"]).toBe(false);
  });

  it("SEA-15 closes a profile whose rows cannot be read", () => {
    const openProfile: SessionSearchHost["openProfile"] = (name) => {
      const store = host.openProfile!(name) as StateStore;
      const read = (): never => {
        throw new Error("disk I/O error");
      };
      return Object.create(store, { read: { value: read }, close: { value: () => store.close() } }) as StateStore;
    };
    expect(ask({ query: "needle", profile: "work" }, { openProfile })["success"]).toBe(false);
    expect(opened).toHaveLength(1);
  });

  it("SEA-15 guards the current lineage also under another name of the profile", () => {
    for (const profile of ["home", "HOME", "alias"]) {
      expect(sessionsOf(ask({ query: "needle", profile }, { currentSessionId: "h" })), profile).toEqual([]);
    }
    expect(opened).toHaveLength(1);
    work.create("h");
    work.say("h", "needle elsewhere");
    expect(sessionsOf(ask({ query: "needle", profile: "work" }, { currentSessionId: "h" })).length).toBe(2);
  });
});

describe("sessionSearch, a confined caller", () => {
  let fixture: SessionFixture;
  let host: SessionSearchHost;
  const said = new Map<string, number>();

  beforeEach(() => {
    fixture = sessionFixture("confined");
    const chat = (id: string, sessionKey: string | null, more: object = {}): void => {
      fixture.create(id, { source: "telegram", sessionKey, title: `Title ${id}`, ...more });
      said.set(id, fixture.say(id, `needle of ${id}`));
    };
    chat("origin", null, { source: "cli" });
    fixture.store.sessions.end("origin", "session_switch");
    chat("one-old", "chat-1", { parentSessionId: "origin" });
    fixture.store.sessions.end("one-old", "session_reset");
    chat("one-now", "chat-1");
    chat("one-branch", null, { source: "cli", parentSessionId: "one-old", modelConfig: { _branched_from: "one-old" } });
    chat("two", "chat-2");
    chat("twofold", "chat-2", { parentSessionId: "one-old" });
    chat("desk", null, { source: "cli" });
    host = { currentSessionId: "one-now", caller: { platform: "Telegram", sessionKey: "chat-1" } };
  });

  afterEach(() => {
    fixture[Symbol.dispose]();
  });

  const ask = (args: SessionSearchArgs, more: SessionSearchHost = {}): Reply =>
    sessionSearch(fixture.store, args, { ...host, ...more });
  const OWN = ["one-branch", "one-old", "origin"];

  it("SEA-15 a Telegram chat finds its own conversation only: its key, ancestors and descendants", () => {
    fixture.store.sessions.end("one-branch", "done");
    const found = ["origin", "one-old", "one-branch", "two", "twofold", "desk"].flatMap((id) =>
      sessionsOf(ask({ query: `"needle of ${id}"`, limit: 10 })));
    expect(found.sort()).toEqual(OWN);
    for (const id of ["two", "twofold", "desk"]) expect(sessionsOf(ask({ query: `Title ${id}` }))).toEqual([]);
    const browsed = sessionsOf(ask({ limit: 10 }));
    expect(browsed.filter((id) => !OWN.includes(id as string))).toEqual([]);
    expect(browsed).toContain("one-old");
  });

  it("SEA-15 a Telegram chat cannot scroll to a message of another chat, nor read or learn of it", () => {
    const anchor = said.get("two")!;
    const unknown = ask({ session_id: "none", around_message_id: anchor })["error"];
    for (const id of ["two", "twofold", "desk"]) {
      const around_message_id = said.get(id)!;
      const refused = ask({ session_id: id, around_message_id });
      expect(refused["success"]).toBe(false);
      expect((refused["error"] as string).replace(id, "none")).toBe(unknown);
      expect(ask({ session_id: "one-old", around_message_id })["success"]).toBe(false);
      expect(ask({ session_id: id })["success"]).toBe(false);
    }
    expect(ask({ session_id: "one-old", around_message_id: said.get("one-old")! })["success"]).toBe(true);
    expect(ask({ session_id: "one-old" })["success"]).toBe(true);
  });

  it("SEA-15 a scope that is missing, unclear or unreadable is a refusal", () => {
    const telegram = (sessionKey?: string): SearchCaller =>
      ({ platform: "telegram", ...(sessionKey !== undefined && { sessionKey }) });
    fixture.create("elsewhere", { source: "discord", sessionKey: "chat-1" });
    const unclear: SessionSearchHost[] = [
      { currentSessionId: "elsewhere" }, { currentSessionId: "nobody" }, { currentSessionId: "two" }, { currentSessionId: "desk" },
      { caller: telegram() }, { caller: telegram("") }, { caller: telegram("chat-2") },
      { currentSessionId: "desk", caller: telegram("") },
    ];
    for (const more of unclear) {
      for (const args of [{ query: "needle" }, {}, { session_id: "one-old" }]) {
        const reply = ask(args, more);
        expect(reply["success"], JSON.stringify([args, more])).toBe(false);
        expect(reply).not.toHaveProperty("results");
      }
    }
    expect(sessionSearch(fixture.store, {}, { caller: telegram("chat-1") })["success"]).toBe(false);
    expect(sessionSearch(fixture.store, { query: "needle", scope: "current" })["success"]).toBe(false);
    const failing = Object.create(fixture.store, {
      read: { value: () => { throw new Error("disk I/O error"); } },
    }) as StateStore;
    expect(sessionSearch(failing, { query: "needle" }, host)["success"]).toBe(false);
  });

  it("SEA-15 looks beyond the conversation when scope is all, and only then into other profiles", () => {
    expect(sessionsOf(ask({ query: '"needle of two"', scope: "all" }))).toEqual(["two"]);
    let opened = 0;
    const openProfile = (): undefined => { opened++; };
    const more = { openProfile, profileNames: () => ["other"] };
    for (const args of [{ profile: "other" }, { session_id: "other/x" }, { session_id: "x" }]) {
      expect(ask(args, more)["success"]).toBe(false);
      expect(opened).toBe(0);
    }
    expect(ask({ session_id: "x", scope: "all" }, more)["success"]).toBe(false);
    expect(opened).toBe(1);
  });
});
