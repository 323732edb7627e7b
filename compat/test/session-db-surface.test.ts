import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AsyncSessionStore, SessionStore } from "../src/gateway/session-store/index.js";
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
    expect(publicMethods(AsyncSessionDB)).toEqual(members("AsyncSessionDB"));
    expect(members("AsyncSessionDB")).toEqual(listed);
  });

  it("CPT-03 that of the session store is that of the manifest too, under both of its names", () => {
    // Whoever opens a store closes it; the classes of the chain share the other two.
    const own = ["close", "entryOf", "parts"];
    const offered = publicMethods(SessionStore).filter((name) => !own.includes(name));
    expect(offered).toHaveLength(29);
    expect(members("SessionStore")).toEqual(offered);
    expect(members("AsyncSessionStore")).toEqual(offered);
    expect(publicMethods(AsyncSessionStore)).toEqual(publicMethods(SessionStore));
  });

  it("CPT-03 has no private name", () => {
    for (const name of [...publicMethods(SessionDB), ...members("SessionStore")])
      expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/);
  });
});
