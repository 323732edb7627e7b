import { describe, expect, it } from "vitest";
import { openTestStore, sql } from "../../test/support/open-test-store.js";

describe("meta", () => {
  it("COR-36 sets, replaces, reads and deletes a key, and leaves all others as they are", () => {
    using test = openTestStore();
    const { meta } = test.store;
    const before = meta.list();
    sql(test.store, "INSERT INTO state_meta (key, value) VALUES ('goal:s1', NULL)");
    expect(meta.get("x")).toBeUndefined();
    expect(meta.get("goal:s1")).toBeNull();
    meta.set("x", "1");
    meta.set("x", "2");
    expect(meta.get("x")).toBe("2");
    expect(meta.delete("x")).toBe(true);
    expect(meta.delete("x")).toBe(false);
    expect(meta.list()).toEqual([...before, { key: "goal:s1", value: null }].sort((a, b) => (a.key < b.key ? -1 : 1)));
  });

  it("COR-36 lists by the beginning of the key, literally", () => {
    using test = openTestStore();
    const { meta } = test.store;
    for (const key of ["a%b:1", "a%b:2", "axb:3", "\u{1f9d1}:1"]) meta.set(key, "v");
    expect(meta.list("a%b:").map((entry) => entry.key)).toEqual(["a%b:1", "a%b:2"]);
    expect(meta.list("\u{1f9d1}:").map((entry) => entry.key)).toEqual(["\u{1f9d1}:1"]);
    expect(meta.list("nope")).toEqual([]);
  });

  it("COR-36 takes text only", () => {
    using test = openTestStore();
    const { meta } = test.store;
    expect(() => meta.set("x", 1 as unknown as string)).toThrow(TypeError);
    expect(() => meta.get(undefined as unknown as string)).toThrow(TypeError);
  });
});
