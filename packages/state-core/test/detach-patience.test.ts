import { describePython, runPython, tempDir, testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import { betterSqlite3Driver, openStateStore } from "../src/index.js";
import { wrappedDriver } from "./wrapped-driver.js";

const WRECK = `
db = sqlite3.connect(args["path"])
db.execute("UPDATE messages_fts_data SET block = zeroblob(length(block))")
db.commit()
db.close()
answer(None)
`;

describePython("a write that takes a wrecked index off", () => {
  it("COR-09 GND-05 waits for a sibling's write with the whole patience of the write", () => {
    using dir = tempDir("detach-patience");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s", source: "test" });
      store.messages.append("s", { role: "user", content: "early" });
    }
    const sibling = betterSqlite3Driver.open(path, { readonly: false, busyTimeoutMs: 0 });
    const clock = testClock();
    let begins = -Infinity;
    let waits = 0;
    const driver = wrappedDriver("beside a sibling", {
      running: (sql) => {
        // The first attempt fails in the index; before the second a sibling takes the write lock.
        if (sql === "BEGIN IMMEDIATE" && ++begins === 2) sibling.exec("BEGIN IMMEDIATE");
      },
    });
    const patient = {
      ...clock,
      sleep: (ms: number) => {
        clock.advance(ms);
        waits += 1;
        if (waits === 1) sibling.exec("ROLLBACK");
      },
    };
    using store = openStateStore({ path, driver, clock: patient });
    // An open would fill an index again that it finds so: the damage comes while the store is in use.
    runPython(WRECK, { path });
    begins = 0;
    store.messages.append("s", { role: "user", content: "later" });
    expect(waits).toBe(1);
    expect(store.meta.get("fts_stale")).toBe("1");
    expect(store.messages.count("s")).toBe(2);
    sibling.close();
  });
});
