import { describe, expect, it } from "vitest";
import { checkDeprecations, namedCodes } from "./compat/deprecations.mjs";

const RECORD = {
  code: "HSC0002",
  entry: "hermes-state",
  name: "oldName",
  kind: "moved-lazy",
  target: { package: "@hermes/state-core", export: "newName" },
  status: "deprecated",
  warnsFrom: "2026-11-01",
  removal: "2027-06-30",
  replacement: 'import { newName } from "@hermes/state-core"',
  tests: ["compat/test/a.test.ts"],
};
const GOOD = {
  records: [RECORD],
  released: [RECORD],
  changesets: [] as string[],
  today: "2026-12-01",
  exists: () => true,
  anchors: new Set(["HSC0002"]),
};

type Facts = Partial<typeof GOOD>;
const problems = (facts: Facts): string[] => checkDeprecations({ ...GOOD, ...facts }) as string[];

describe("check-deprecations", () => {
  it("CPT-08 passes what was released as it is", () => {
    expect(problems({})).toEqual([]);
  });

  it("CPT-08 fails for a change that no changeset names, and passes one that is told", () => {
    const later = [{ ...RECORD, removal: "2027-12-31" }];
    expect(problems({ records: later })).toEqual([
      "HSC0002 hermes-state oldName: its removal changed and no changeset names it",
    ]);
    expect(problems({ records: later, changesets: ["The day of HSC0002 is later."] })).toEqual([]);
    expect(problems({ records: later, changesets: ["HSC0001..HSC0010 go later."] })).toEqual([]);
    expect(problems({ records: later, changesets: ["HSC0003 goes later."] })).toHaveLength(1);
    expect(problems({ released: [] })).toEqual(["HSC0002 hermes-state oldName: it is new and no changeset names it"]);
  });

  it("CPT-08 fails for a member that comes or goes untold", () => {
    const wider = [{ ...RECORD, members: [{ name: "close", params: "" }] }];
    expect(problems({ records: wider })).toEqual([
      "HSC0002 hermes-state oldName: its members changed and no changeset names it",
    ]);
    expect(problems({ records: wider, changesets: ["HSC0002 can be closed."] })).toEqual([]);
  });

  it("CPT-08 fails when the day of a removal has come", () => {
    expect(problems({ today: "2027-06-29" })).toEqual([]);
    expect(problems({ today: "2027-06-30" })[0]).toContain("has come");
    const removed = [{ ...RECORD, status: "removed" }];
    expect(problems({ today: "2027-06-30", records: removed, changesets: ["HSC0002"] })).toEqual([]);
  });

  it("CPT-08 fails when a status goes backwards, or a record is taken out", () => {
    const released = [{ ...RECORD, status: "removed" }];
    expect(problems({ released, changesets: ["HSC0002"] })[0]).toContain("goes back from removed to deprecated");
    expect(problems({ records: [], changesets: ["HSC0002"] })).toEqual([
      "HSC0002 oldName: a record is never taken out, set it to removed",
    ]);
  });

  it("CPT-08 fails when a test or an anchor is missing", () => {
    expect(problems({ exists: () => false })[0]).toContain("compat/test/a.test.ts is not there");
    expect(problems({ anchors: new Set() })[0]).toContain("no page has an anchor");
  });

  it("CPT-08 reads codes and ranges of them", () => {
    expect([...namedCodes("HSC0007 and HSC0009..HSC0011, not HSC12")]).toEqual([
      "HSC0007",
      "HSC0009",
      "HSC0010",
      "HSC0011",
    ]);
  });
});
