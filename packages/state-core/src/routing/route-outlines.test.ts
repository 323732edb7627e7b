import { describe, expect, it } from "vitest";
import { openTestStore, sql } from "../../test/support/open-test-store.js";

const SEPARATOR = "\u001e";

describe("outlines of routes", () => {
  it("GWS-02 take packed rows apart again, however many there are and whatever their keys hold", () => {
    using test = openTestStore();
    const { routing } = test.store;
    const keys = Array.from({ length: 1000 }, (_, n) => `agent:main:x:dm:${String(n)} 旅 "q" \\`);
    routing.replace("a", new Map(keys.map((key, n) => [key, { session_key: key, session_id: `s${String(n)}`, n }])));
    routing.save("b", "other", { session_id: "elsewhere" });
    const found = routing.outlines("a");
    expect(found.map(({ sessionKey }) => sessionKey).sort()).toEqual([...keys].sort());
    for (const { sessionKey, sessionId, entryText, savedAtSeconds } of found) {
      expect(JSON.parse(entryText ?? "")).toMatchObject({ session_key: sessionKey, session_id: sessionId });
      expect(savedAtSeconds).toBe(test.clock.now());
    }
  });

  it("GWS-02 read row by row what cannot be packed", () => {
    using test = openTestStore();
    const { routing } = test.store;
    routing.save("", `k${SEPARATOR}1`, { session_id: "s1" });
    routing.save("", "k2", { session_id: "s2" });
    routing.save("", "k3", { session_id: "s3" });
    sql(test.store, "UPDATE gateway_routing SET entry_json = CAST('{\"session_id\": \"s3\"}' AS BLOB) WHERE session_key = 'k3'");
    expect(
      routing
        .outlines("")
        .map(({ sessionKey, sessionId }) => [sessionKey, sessionId])
        .sort(),
    ).toEqual([
      [`k${SEPARATOR}1`, "s1"],
      ["k2", "s2"],
      ["k3", null],
    ]);
    expect(routing.outlines("nothing")).toEqual([]);
  });
});
