import { openStateStore } from "@hermes/state-core";
import { tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";
import { eraseSessions } from "../../src/index.js";

const KEY = "agent:main:telegram:dm:7";

it("GWS-07 POR-06 an erasure takes no generation of a peer back", async () => {
  using home = tempHome();
  const path = `${home.path}/state.db`;
  const store = openStateStore({ path });
  for (const id of ["first", "second"]) {
    store.sessions.create({ id, source: "telegram", sessionKey: KEY });
    store.messages.append(id, { role: "user", content: `said in ${id}` });
    store.sessions.end(id, "session_reset");
  }
  await eraseSessions(store, ["first", "second"]);
  using again = openStateStore({ path });
  expect(again.sessions.find("first")).toBeUndefined();
  expect(again.routing.generation("telegram", KEY)).toBe(2);
});
