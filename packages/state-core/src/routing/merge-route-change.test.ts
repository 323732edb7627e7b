import { describe, expect, it } from "vitest";
import { openTestStore } from "../../test/support/open-test-store.js";
import { openStateStore } from "../index.js";
import type { JsonObject } from "../index.js";

const KEY = "agent:main:telegram:dm:c1";
const stored: JsonObject = { session_id: "s1", display_name: "Anna", metadata: { a: 1 }, suspended: false };

describe("changes of a snapshot", () => {
  it("CPT-10 reach the fields that were changed, and no other", () => {
    using test = openTestStore();
    const { routing } = test.store;
    routing.save("", KEY, stored);
    routing.save("", "other", { session_id: "s9" });
    const mine = { ...stored, display_name: "Anna B." };
    routing.save("", KEY, { ...stored, session_id: "s2", suspended: true });
    const outcome = routing.mergeChanges("", new Map([[KEY, { before: stored, after: mine }]]));
    expect([...outcome]).toEqual([[KEY, "changed"]]);
    expect(routing.find("", KEY)?.entry).toEqual({
      ...stored,
      session_id: "s2",
      suspended: true,
      display_name: "Anna B.",
    });
    expect(routing.find("", "other")?.entry).toEqual({ session_id: "s9" });
  });

  it("CPT-10 delete only what nobody changed, add only what nobody added, and write nothing for no change", () => {
    using test = openTestStore();
    const { routing } = test.store;
    routing.save("", "a", stored);
    routing.save("", "b", { ...stored, suspended: true });
    routing.save("", "new", { session_id: "theirs" });
    const changes = new Map([
      ["a", { before: stored, after: undefined }],
      ["b", { before: stored, after: undefined }],
      ["new", { before: undefined, after: { session_id: "mine" } }],
      ["fresh", { before: undefined, after: { session_id: "fresh" } }],
      ["gone", { before: stored, after: { ...stored, suspended: true } }],
      ["same", { before: stored, after: { ...stored } }],
    ]);
    expect(Object.fromEntries(routing.mergeChanges("", changes))).toEqual({
      a: "deleted",
      b: "kept",
      new: "kept",
      fresh: "added",
      gone: "gone",
      same: "unchanged",
    });
    expect(routing.load("").map(({ sessionKey, entry }) => [sessionKey, entry?.["session_id"]])).toEqual([
      ["b", "s1"],
      ["fresh", "fresh"],
      ["new", "theirs"],
    ]);
  });

  it("CPT-10 take a field away, and do so beside another handle", () => {
    using test = openTestStore();
    test.store.routing.save("", KEY, { ...stored, note: "x" });
    using other = openStateStore({ path: test.path });
    const before = { ...stored, note: "x" };
    other.routing.mergeChanges("", new Map([[KEY, { before, after: { ...stored, metadata: { a: 2 } } }]]));
    expect(test.store.routing.find("", KEY)?.entry).toEqual({ ...stored, metadata: { a: 2 } });
  });

  it("CPT-10 are not made at all where others changed the same, if that is asked for", () => {
    using test = openTestStore();
    const { routing } = test.store;
    routing.save("", "a", { count: 2, other: 1 });
    routing.save("", "b", { count: 1 });
    const counted = new Map([
      ["a", { before: { count: 1, other: 1 }, after: { count: 2, other: 1 } }],
      ["b", { before: { count: 1 }, after: { count: 2 } }],
      ["c", { before: undefined, after: { count: 1 } }],
    ]);
    const options = { refuseOvertaken: true };
    expect([...routing.mergeChanges("", counted, options)]).toEqual([["a", "overtaken"]]);
    expect(routing.load("").map(({ entry }) => entry)).toEqual([{ count: 2, other: 1 }, { count: 1 }]);
    routing.save("", "c", { count: 7 });
    counted.delete("a");
    expect([...routing.mergeChanges("", counted, options)]).toEqual([["c", "overtaken"]]);
    counted.delete("c");
    // Another field is in nobody's way.
    routing.save("", "b", { count: 1, other: 9 });
    expect([...routing.mergeChanges("", counted, options)]).toEqual([["b", "changed"]]);
    expect(routing.find("", "b")?.entry).toEqual({ count: 2, other: 9 });
    expect(() => routing.mergeChanges("", counted, { refuse: true } as never)).toThrow(TypeError);
  });

  it("CPT-10 have fields of any name", () => {
    using test = openTestStore();
    const { routing } = test.store;
    const before = { constructor: 1, b: 1 } as unknown as JsonObject;
    routing.save("", KEY, before);
    routing.mergeChanges("", new Map([[KEY, { before, after: { b: 2 } }]]));
    expect(routing.find("", KEY)?.entry).toEqual({ b: 2 });
  });
});
