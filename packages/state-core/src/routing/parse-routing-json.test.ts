import { describe, expect, it } from "vitest";
import { openTestStore, sql } from "../../test/support/open-test-store.js";
import { parseRoutingJson } from "./parse-routing-json.js";

const LONG = "112233445566778899";

describe("what is stored about routes", () => {
  it.each([
    [`{"chat_id": ${LONG}}`, { chat_id: LONG }],
    [`{"chat_id":-${LONG},"user_id_alt" : ${LONG}\n}`, { chat_id: `-${LONG}`, user_id_alt: LONG }],
    [`{"id": ${LONG}, "parent_chat_id": ${LONG}}`, { id: LONG, parent_chat_id: LONG }],
    ["{\"chat_id\": -1001234567890}", { chat_id: -1001234567890 }],
    [`{"chat_id": ${LONG}.5, "user_id": ${LONG}e2}`, { chat_id: Number(LONG), user_id: Number(`${LONG}e2`) }],
    [`{"name": "\\"chat_id\\": ${LONG},"}`, { name: `"chat_id": ${LONG},` }],
    [`{"cost": NaN, "user_id": ${LONG}}`, { cost: NaN, user_id: LONG }],
    [`[${LONG}]`, [Number(LONG)]],
  ])("GWS-02 %s keeps every digit of its ids", (text, value) => {
    expect(parseRoutingJson(text)).toEqual(value);
  });

  it("GWS-02 refuses what is no JSON", () => {
    expect(() => parseRoutingJson(`{"chat_id": ${LONG}`)).toThrow(SyntaxError);
  });

  it("GWS-02 keeps the ids of an entry that a Python gateway stored as numbers", () => {
    using test = openTestStore();
    test.store.routing.save("", "k", {});
    sql(test.store, `UPDATE gateway_routing SET entry_json = '{"session_id": "s", "origin": {"chat_id": ${LONG}}}'`);
    expect(test.store.routing.find("", "k")?.entry).toEqual({ session_id: "s", origin: { chat_id: LONG } });
  });
});
