import { expect, it } from "vitest";
import { detectFtsLayout, initializeSchema, probeCapabilities, probeSchema, readIndexState } from "../src/index.js";
import { tempFolder } from "./temp-files.js";
import { openTestHost } from "./test-host.js";

it("SCH-01 creates a fresh file in one transaction, in the newest shape", () => {
  using folder = tempFolder();
  using host = openTestHost(folder.file("state.db"));
  const report = initializeSchema(host);
  expect(report).toMatchObject({ created: true, versionAfter: 30, layout: 3, problems: [], pausedAt: undefined });
  expect(host.transactions).toHaveLength(1);
  expect(detectFtsLayout(host)).toBe(3);
  expect(probeSchema(host).current).toBe(true);
  expect(readIndexState(host, probeCapabilities(host))).toEqual({
    layout: 3,
    word: { present: true, triggers: true, readable: true },
    trigram: { present: true, triggers: true, readable: true },
    stale: false,
    pending: undefined,
  });
});
