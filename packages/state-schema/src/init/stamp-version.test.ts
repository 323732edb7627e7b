import { expect, it } from "vitest";
import { buildOldFile, change } from "../../test/old-file.js";
import { openTestHost } from "../../test/test-host.js";
import { stampVersion } from "./stamp-version.js";

it.each([
  [25, 30, 30],
  [30, 25, 30],
  [33, 30, 33],
] as const)("GND-01 a stamp of %s that is to become %s is %s afterwards: never lowered", (before, wanted, after) => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: before, layout: "none" });
  change(host, (w) => stampVersion(w, wanted));
  expect(host.all("SELECT version FROM schema_version")).toEqual([{ version: after }]);
});

it("SCH-04 a file without a stamp gets one", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: "none" });
  change(host, (w) => w.run("DELETE FROM schema_version"));
  change(host, (w) => stampVersion(w, 30));
  expect(host.all("SELECT version FROM schema_version")).toEqual([{ version: 30 }]);
});
