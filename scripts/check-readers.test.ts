import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkReaders } from "./check-readers.mjs";
import { plantTree, repositoryRoot } from "./support/plant-tree.js";

const read = (name: string): string => readFileSync(join(repositoryRoot, name), "utf8");
const HANDLES = "packages/state-schema/src/sql/handles.ts";

const sound = {
  [HANDLES]: read(HANDLES),
  "packages/state-schema/src/index.ts": 'export type { Reader, Writer } from "./sql/handles.js";\n',
  "packages/state-core/src/context.ts": `
import type { Reader, Writer } from "@hermes/state-schema";
export interface Context {
  read<T>(fn: (r: Reader) => T): T;
  write<T>(label: string, fn: (w: Writer) => T): T;
}
export function setTitle(w: Writer, title: string): void {
  w.run("UPDATE sessions SET title = ?", [title]);
}
export function count(r: Reader): number {
  return r.all("SELECT id FROM sessions").length;
}
`,
};

const HEADER = `
import type { Reader, Writer } from "@hermes/state-schema";
import { count, setTitle, type Context } from "./context.js";
`;

const SOUND_BODY = `
export const title = (c: Context): number => c.read((r) => count(r));
export const rename = (c: Context): void => c.write("rename", (w) => setTitle(w, "x"));
export const both = (c: Context): void => c.write("both", (w) => {
  if (count(w) > 0) ["a", "b"].forEach((name) => setTitle(w, name));
});
`;

const READ_WRITES: readonly (readonly [how: string, body: string])[] = [
  ["at once", "export const f = (c: Context): void => c.read(() => { c.write('x', (w) => setTitle(w, 'x')); });"],
  [
    "through a function",
    `function heal(c: Context): void { c.write("heal", (w) => setTitle(w, "x")); }
function deeper(c: Context): void { heal(c); }
export const f = (c: Context): void => c.read(() => { deeper(c); });`,
  ],
  [
    "through a method",
    `class Titles {
  constructor(private readonly c: Context) {}
  set(): void { this.c.write("set", (w) => setTitle(w, "x")); }
  get(): void { this.c.read(() => { this.set(); }); }
}
export { Titles };`,
  ],
];

const WRITE_READS: readonly (readonly [how: string, body: string])[] = [
  ["selects", "export const f = (c: Context): number => c.write('count', (w) => w.all('SELECT 1').length);"],
  ["asks a helper that reads", "export const f = (c: Context): number => c.write('count', (w) => count(w));"],
  ["reads behind a name", "const g = (w: Writer) => count(w);\nexport const f = (c: Context) => c.write('', g);"],
];

const ESCAPES: readonly (readonly [how: string, body: string])[] = [
  ["a variable", "let k: Writer | undefined;\nexport const f = (w: Writer): void => { k = w; };"],
  ["a field", "export class Part { w: Writer | undefined; }"],
  ["a constructor", "export class Part { constructor(readonly w: Writer) {} }"],
  ["a return", "export const f = (w: Writer): Writer => { w.run('x'); return w; };"],
  ["an object", "export const f = (w: Writer): unknown => ({ w });"],
  ["an object by name", "export const f = (w: Writer): unknown => ({ handle: w });"],
  ["a closure that is returned", "export const f = (w: Writer) => { return () => { setTitle(w, 'x'); }; };"],
  ["an async function", "export const f = (w: Writer): unknown => [1].map(async () => { setTitle(w, 'x'); });"],
  ["a cast", "export const f = (r: Reader): void => { setTitle(r as Writer, 'x'); };"],
];

/** All bodies stand in one planted tree, so that one program checks them. */
const bodies = [SOUND_BODY, ...[...READ_WRITES, ...WRITE_READS, ...ESCAPES].map(([, body]) => body)];
const fileOf = (body: string): string => `packages/state-core/src/part-${bodies.indexOf(body)}.ts`;

let tree = "";
let findings: readonly string[] = [];
beforeAll(() => {
  const parts = Object.fromEntries(bodies.map((body) => [fileOf(body), `${HEADER}${body}\n`]));
  tree = plantTree({ ...sound, ...parts });
  findings = checkReaders(tree).findings;
}, 60_000);
afterAll(() => {
  rmSync(tree, { recursive: true, force: true });
});

const found = (body: string): readonly string[] => findings.filter((finding) => finding.startsWith(`${fileOf(body)}:`));

describe("check-readers", () => {
  it("COR-05 passes reads that read and writes that write", () => {
    expect(found(SOUND_BODY)).toEqual([]);
  });

  it.each(READ_WRITES)("COR-05 reports a read that opens a write %s", (_how, body) => {
    expect(found(body)).toEqual([expect.stringContaining("a read opens a write")]);
  });

  it.each(WRITE_READS)("COR-05 reports a write that only %s", (_how, body) => {
    expect(found(body)).toEqual([expect.stringContaining("a write that changes nothing")]);
  });

  it.each(ESCAPES)("COR-05 reports a writer that escapes through %s", (_how, body) => {
    expect(found(body).length).toBeGreaterThan(0);
  });

  it("COR-05 sees the reads and writes of this repository and finds nothing wrong", () => {
    const result = checkReaders(repositoryRoot);
    expect(result.findings).toEqual([]);
    expect(result.callbacks).toBeGreaterThan(0);
  }, 60_000);
});
