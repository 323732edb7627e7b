import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { publicMethods } from "../src/session-db/public-methods.js";
import { AsyncSessionDB, SessionDB } from "../src/session-db/index.js";

interface Manifest {
  readonly records: readonly { readonly name: string; readonly members?: readonly { readonly name: string }[] }[];
}

const manifest = JSON.parse(readFileSync(new URL("../manifest.json", import.meta.url), "utf8")) as Manifest;

function members(...names: readonly string[]): string[] {
  const found = manifest.records.filter((record) => names.includes(record.name));
  return found
    .flatMap((record) => record.members ?? [])
    .map((member) => member.name)
    .sort();
}

describe("the surface of the one-object store", () => {
  it("CPT-01 is that of the manifest, in both classes", () => {
    const listed = members("SessionDB");
    expect(listed).toHaveLength(new Set(listed).size);
    expect(listed.length).toBeGreaterThan(150);
    expect(publicMethods(SessionDB)).toEqual(listed);
    expect(publicMethods(AsyncSessionDB)).toEqual(listed);
  });

  it("CPT-03 has no private name", () => {
    for (const name of publicMethods(SessionDB)) expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/);
  });
});
