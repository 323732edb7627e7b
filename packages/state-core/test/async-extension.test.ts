import { join } from "node:path";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import type * as Core from "../src/index.js";

// The worker is a file of the build, so the build is what is tested here.
const built: string = "../dist/index.js";
const { openExtendedStateStore } = (await import(built)) as typeof Core;
const extension = new URL("children/extension.mjs", import.meta.url);

describe("openExtendedStateStore", () => {
  it("COR-38 serves what a module makes of the same store, in the order of the calls, and what it tells before", async () => {
    using folder = tempDir();
    await using extended = await openExtendedStateStore({ path: join(folder.path, "state.db") }, extension);
    const told: unknown[] = [];
    const [, answer] = await Promise.all([
      extended.store.sessions.create({ id: "s1", source: "cli" }),
      extended.call("ask", [1, "two"], (value) => told.push(value)),
    ]);
    expect([answer, told]).toEqual([{ method: "ask", args: [1, "two"], sessions: 1 }, ["before"]]);
    await expect(extended.call("fail", [])).rejects.toThrow(RangeError);
  });

  it("COR-38 fails to open when the module is not there, and leaves the store to others", async () => {
    using folder = tempDir();
    const path = join(folder.path, "state.db");
    const absent = new URL("children/absent.mjs", import.meta.url);
    await expect(openExtendedStateStore({ path }, absent)).rejects.toThrow(/absent/);
    await using extended = await openExtendedStateStore({ path }, extension);
    expect(await extended.call("ask", [])).toMatchObject({ sessions: 0 });
  });
});
