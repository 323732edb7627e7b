import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import { failAtEveryStatement } from "../../test/support/every-statement.js";
import type { TestStore } from "../../test/support/open-test-store.js";
import { openStateStore } from "../index.js";
import { sanitizeTitle } from "./sanitize-title.js";

function withSessions(...ids: string[]): TestStore {
  const test = openTestStore();
  for (const id of ids) test.store.sessions.create({ id, source: "cli" });
  return test;
}

describe("sanitizeTitle", () => {
  it.each<[string, string | null]>([
    ["  a \t\n b  ", "a b"],
    ["a\u200bb\u202ec\ufeffd\u0007", "abcd"],
    ["a\u2028b\u0085c", "ab c"],
    ["\u200b \u0000", null],
    ["", null],
    ["lone \ud83d", "lone \ufffd"],
    ["大".repeat(100), "大".repeat(100)],
    ["\u{1f9d1}".repeat(100), "\u{1f9d1}".repeat(100)],
  ])("COR-29 makes %o into %o", (title, clean) => {
    expect(sanitizeTitle(title)).toBe(clean);
  });

  it("COR-29 refuses 101 characters by code, and what is no text", () => {
    const error = stateErrorOf(() => sanitizeTitle("x".repeat(101)));
    expect([error.code, error.facts]).toEqual(["STATE_E_TITLE_TOO_LONG", { length: 101, limit: 100 }]);
    expect(() => sanitizeTitle(5 as unknown as string)).toThrow(TypeError);
  });
});

describe("titles", () => {
  it("COR-29 the user's title always lands, an empty one clears", () => {
    using test = withSessions("a");
    const { titles } = test.store;
    expect(titles.setAuto("a", "by a model", "llm")).toBe(true);
    expect(titles.set("a", " mine ")).toBe("mine");
    expect(titles.bySession("a")).toEqual({ title: "mine", source: "user" });
    expect(titles.set("a", "  ")).toBeNull();
    expect(titles.bySession("a")).toEqual({ title: null, source: null });
  });

  it("COR-29 an automatic title lands only over one of lower rank, whoever writes later", () => {
    using test = withSessions("a");
    using other = openStateStore({ path: test.path });
    const { titles } = test.store;
    expect(titles.setAuto("a", "derived", "derived")).toBe(true);
    expect(titles.setAuto("a", "derived again", "derived")).toBe(false);
    expect(titles.setAuto("a", "llm", "llm")).toBe(true);
    expect(titles.setAuto("a", "derived late", "derived")).toBe(false);
    other.titles.set("a", "mine");
    expect(titles.setAuto("a", "llm late", "llm")).toBe(false);
    expect(titles.setAuto("a", "", "llm")).toBe(false);
    expect(titles.bySession("a")).toEqual({ title: "mine", source: "user" });
    expect(() => titles.setAuto("a", "x", "user" as "llm")).toThrow(TypeError);
  });

  it.each([[null], ["branch_fallback"]])("COR-29 a title of origin %o counts as the user's", (source) => {
    using test = withSessions("a");
    sql(test.store, "UPDATE sessions SET title = 'old', title_source = ?", source);
    expect(test.store.titles.setAuto("a", "new", "llm")).toBe(false);
  });

  it("COR-29 a title has one holder; the error names it", () => {
    using test = withSessions("a", "b");
    const { titles } = test.store;
    titles.set("a", "orchid");
    for (const call of [() => titles.set("b", "orchid"), () => titles.setAuto("b", "orchid", "llm")]) {
      const error = stateErrorOf(call);
      expect([error.code, error.facts]).toEqual([
        "STATE_E_TITLE_TAKEN",
        { sessionId: "b", title: "orchid", holderId: "a" },
      ]);
    }
    expect(titles.set("a", "orchid")).toBe("orchid");
    expect(stateErrorOf(() => titles.set("nope", "x")).code).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(stateErrorOf(() => titles.bySession("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });

  it("COR-29 a continuation takes the title of an earlier segment; a branch does not", () => {
    using test = withSessions("root");
    const { titles, sessions } = test.store;
    titles.set("root", "orchid");
    sessions.end("root", "compression");
    const child = { source: "cli", parentSessionId: "root" };
    sessions.create({ ...child, id: "branch", modelConfig: { _branched_from: "root" } });
    sessions.create({ ...child, id: "mid" });
    sessions.end("mid", "compression");
    sessions.create({ id: "tip", source: "cli", parentSessionId: "mid" });
    expect(stateErrorOf(() => titles.set("branch", "orchid")).code).toBe("STATE_E_TITLE_TAKEN");
    titles.set("tip", "orchid");
    expect(titles.bySession("root")).toEqual({ title: null, source: null });
    expect(titles.bySession("tip")).toEqual({ title: "orchid", source: "user" });
    expect(stateErrorOf(() => titles.set("root", "orchid")).facts["holderId"]).toBe("tip");
  });

  it("COR-29 the origin of a title changes without its text", () => {
    using test = withSessions("a", "b");
    const { titles } = test.store;
    titles.setAuto("a", "orchid", "derived");
    expect(titles.setSource("a", "user")).toBe(true);
    expect(titles.setAuto("a", "late", "llm")).toBe(false);
    expect(titles.bySession("a")).toEqual({ title: "orchid", source: "user" });
    expect(titles.setSource("a", "derived")).toBe(true);
    expect(titles.setAuto("a", "late", "llm")).toBe(true);
    expect([titles.setSource("b", "user"), titles.setSource("nope", "user")]).toEqual([false, false]);
    expect(() => titles.setSource("a", "me" as "user")).toThrow(TypeError);
  });

  it("COR-29 a failure while a title moves on to the tip leaves it where it was", () => {
    using after = failAtEveryStatement({
      lay: ({ sessions, titles }) => {
        sessions.create({ id: "root", source: "cli" });
        titles.set("root", "orchid");
        sessions.end("root", "compression");
        sessions.create({ id: "tip", source: "cli", parentSessionId: "root" });
      },
      act: ({ titles }) => titles.set("tip", "orchid"),
    });
    expect(after.statements).toBeGreaterThanOrEqual(6);
    expect(after.store.titles.bySession("root").title).toBeNull();
  });

  it("COR-29 resolves to the newest of a numbered family, and gives the next number", () => {
    using test = withSessions("a", "b", "c", "d", "e");
    const { titles } = test.store;
    expect(titles.next("orchid")).toBe("orchid");
    titles.set("a", "orchid");
    expect(titles.next("orchid")).toBe("orchid #2");
    titles.set("b", "orchid #10");
    titles.set("c", "orchid #2");
    titles.set("d", "orchid #nine");
    titles.set("e", "or_hid");
    expect(titles.resolve("orchid")).toBe("b");
    expect(titles.resolve("orchid #2")).toBe("c");
    expect(titles.resolve("or_hid")).toBe("e");
    expect(titles.resolve("nope")).toBeUndefined();
    expect(titles.next("orchid #2")).toBe("orchid #11");
    expect(titles.next("or_hid")).toBe("or_hid #2");
    expect(() => titles.next(" ")).toThrow(TypeError);
  });

  it("COR-29 the number of a full-length title fits: the base is cut", () => {
    using test = withSessions("a", "b", "c");
    const { titles } = test.store;
    const base = "\u{1f9d1}".repeat(100);
    titles.set("a", base);
    const second = titles.next(base);
    expect(second).toBe(`${"\u{1f9d1}".repeat(97)} #2`);
    titles.set("b", second);
    const third = titles.next(base);
    expect(third).toBe(`${"\u{1f9d1}".repeat(97)} #3`);
    titles.set("c", third);
  });
});
