import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PEER_IMPORT_LIMITS, RUNTIME_COLUMNS } from "@hermes/state-portability";
import { expect, it } from "vitest";

const PAGE = readFileSync(fileURLToPath(new URL("../FORMAT.md", import.meta.url)), "utf8");

it("POR-01 documents exactly the columns that an import resets", () => {
  const from = PAGE.indexOf("import leaves them at their defaults:");
  const listed = PAGE.slice(from, PAGE.indexOf("Routing entries")).match(/`[a-z_]+`/g) ?? [];
  expect(listed.map((name) => name.slice(1, -1))).toEqual([...RUNTIME_COLUMNS]);
});

it("POR-02 documents the limits that hold", () => {
  const { maxSessions, maxMessagesPerSession, maxMessages, maxSessionBytes, maxTotalBytes } = PEER_IMPORT_LIMITS;
  const said = [
    `${maxSessions} sessions`,
    `${maxMessagesPerSession.toLocaleString("en")} messages and ${maxSessionBytes / 2 ** 20} MiB per session`,
    `${maxMessages.toLocaleString("en")} messages and ${maxTotalBytes / 2 ** 20} MiB per file`,
  ];
  const text = PAGE.replace(/\s+/g, " ");
  for (const words of said) expect(text).toContain(words);
});
