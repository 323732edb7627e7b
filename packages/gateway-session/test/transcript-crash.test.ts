import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { contentText, openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { runCrashMatrix, tempDir } from "@hermes/testkit";
import type { CrashReport } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openTranscriptWriter, sqliteStorage } from "../src/index.js";

const script = fileURLToPath(new URL("children/transcript-scenario.mjs", import.meta.url));
const said = (store: StateStore, id: string): string[] =>
  store.sessions.find(id) ? [...store.messages.iterate(id)].map(({ content }) => contentText(content)) : [];

/** What a killed gateway left, after the next one started: nothing acknowledged lost, nothing twice, in order. */
async function verify(path: string, context: string, planted?: string): Promise<void> {
  const acks = existsSync(`${path}.acks`) ? readFileSync(`${path}.acks`, "utf8").trim().split("\n") : [];
  {
    using store = openStateStore({ path });
    const storage = sqliteStorage(store);
    const careless: typeof storage = { ...storage, append: (id, message) => storage.append(id, message) };
    const port = planted === "never-once" ? careless : storage;
    const writer = openTranscriptWriter(port, { spoolFolder: `${path}.spool` });
    expect(await writer.replay(), context).toEqual({ sessions: 0, queued: 0, spooled: 0 });
    await writer.close();
    const chain = ["old", "mid", "tip"].map((id) => said(store, id));
    for (const texts of [said(store, "s"), chain.flat()]) {
      expect(texts, context).toEqual([...new Set(texts)].sort());
    }
    // Where a conversation went on, nothing is in the parts that were closed.
    if (store.sessions.find("tip"))
      expect(
        chain
          .slice(0, 2)
          .flat()
          .filter((text) => text > "o03"),
        context,
      ).toEqual([]);
    const all = new Set([...said(store, "s"), ...chain.flat()]);
    for (const ack of acks) expect(all, `${context}: ${ack} was acknowledged`).toContain(ack.split(" ")[1]);
  }
  const left = existsSync(`${path}.spool`) ? readdirSync(`${path}.spool`) : [];
  expect(left, context).toEqual([]);
  rmSync(`${path}.acks`, { force: true });
  rmSync(`${path}.spool`, { force: true, recursive: true });
}

async function matrix(most: number, planted?: string): Promise<CrashReport> {
  using dir = tempDir("transcript-crash");
  const pristine = dir.file("pristine.db");
  {
    using store = openStateStore({ path: pristine });
    for (const id of ["s", "old"]) store.sessions.create({ id, source: "telegram" });
  }
  const args = planted === undefined ? [] : [planted];
  return await runCrashMatrix({ pristine, script, args, most, verify: (path, at) => verify(path, at, planted) });
}

describe("a gateway that is killed", () => {
  it("GWS-05 at any step of a message: after the next start all that was acknowledged is there once, in order", async () => {
    const report = await matrix(40);
    process.stderr.write(`${JSON.stringify(report)}\n`);
  }, 300_000);

  it.each(["delete-first", "never-once"])(
    "GWS-05 the matrix notices a planted mistake: %s",
    async (planted) => {
      await expect(matrix(0, planted)).rejects.toThrow(
        planted === "delete-first" ? /was acknowledged/ : /deeply equal \[ 's/,
      );
    },
    300_000,
  );
});
