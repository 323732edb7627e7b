import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "@hermes/testkit";
import { expect, it } from "vitest";
import { hermes } from "./support.js";

it("prints the version that package.json has", () => {
  const manifest = readFileSync(join(repoRoot(), "packages", "state-cli", "package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  expect(hermes(["--version"]).stdout).toBe(`${version}\n`);
});
