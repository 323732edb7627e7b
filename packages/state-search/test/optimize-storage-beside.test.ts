import { fileURLToPath } from "node:url";
import { openStateStore } from "@hermes/state-core";
import { buildOldStore, builtPackage, describePython, spawnNode, tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";
import { optimizeStorage } from "../src/index.js";
import { searchIds } from "./helpers/search-ids.js";
import { expectWholeIndex } from "./helpers/word-census.js";

interface Appended {
  readonly appends: number;
  readonly failures: number;
  readonly longest: number;
  readonly median: number;
}

const script = fileURLToPath(new URL("children/appender.mjs", import.meta.url));

describePython("optimizeStorage beside a process that appends 20 messages a second", () => {
  it("SEA-12 no append fails or waits for long, and every message is found", async () => {
    builtPackage("state-core");
    using home = tempHome();
    buildOldStore(home.statePath, 22, { sessions: 2, messages: 1500 });
    openStateStore({ path: home.statePath }).close();
    await using child = spawnNode(script, [home.statePath]);
    await child.waitForLine((line) => line === "open");
    using store = openStateStore({ path: home.statePath });
    expect(await optimizeStorage(store)).toMatchObject({ ok: false, reason: "held" });
    expect(await optimizeStorage(store, { force: true, vacuum: false })).toMatchObject({ ok: true, layout: 3 });
    child.send("stop");
    const line = await child.waitForLine((text) => text.startsWith("{"));
    const { appends, failures, longest, median } = JSON.parse(line) as Appended;
    await child.exit;
    expect(failures).toBe(0);
    // The upgrade took seconds: it rested between its steps.
    expect(appends).toBeGreaterThan(40);
    expect(median).toBeLessThan(100);
    expect(longest).toBeLessThan(1_000);
    expect(searchIds(store, "livingword")).toHaveLength(appends);
    expect(searchIds(store, "quokka")).toHaveLength(750);
    expectWholeIndex(store, "after");
  }, 60_000);
});
