import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as schema from "../packages/state-schema/src/index.js";
import { isCurrent, renderFileFormat } from "./generate-file-format.mjs";

it("SCH-01 the file format page says what the table model says", () => {
  const page = renderFileFormat(schema);
  expect(isCurrent(page, new URL("../docs/file-format.md", import.meta.url).pathname)).toBe(true);
  for (const table of Object.values(schema.TABLES)) {
    expect(page).toContain(`### ${table.name}\n`);
    for (const { name } of table.columns) expect(page).toContain(`| \`${name}\` |`);
    for (const { name } of table.indexes) expect(page).toContain(`- \`${name}\``);
  }
  for (const { key } of Object.values(schema.META_KEYS)) expect(page).toContain(`| \`${key}`);
});

it("SCH-01 a page that drifts by one column is noticed", () => {
  const folder = mkdtempSync(join(tmpdir(), "file-format-"));
  try {
    const path = join(folder, "file-format.md");
    const page = renderFileFormat(schema);
    expect(isCurrent(page, path)).toBe(false);
    writeFileSync(path, page.replace("| `hidden` |", "| `hiden` |"));
    expect(isCurrent(page, path)).toBe(false);
    writeFileSync(path, page);
    expect(isCurrent(page, path)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
