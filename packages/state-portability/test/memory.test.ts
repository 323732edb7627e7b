import { fileURLToPath } from "node:url";
import { builtPackage, spawnNode, tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";

const CHILD = fileURLToPath(new URL("children/move-much.mjs", import.meta.url));
const COUNT = 1000;
const SIZE = 150_000;
const MIB = 1024 * 1024;

it("POR-01 exports and imports a session far larger than the memory it uses", { timeout: 120_000 }, async () => {
  using home = tempHome();
  const packages = [builtPackage("state-core"), builtPackage("state-portability")];
  const words = (step: string): string[] => [...packages, home.path, step, String(COUNT), String(SIZE)];
  await using filling = spawnNode(CHILD, words("fill"));
  expect(await filling.exit).toMatchObject({ code: 0 });
  await using moving = spawnNode(CHILD, words("move"));
  const end = await moving.exit;
  expect(end.stderr).toBe("");
  const { fileBytes, peakBytes, exported, imported } = JSON.parse(end.stdout) as Record<string, number>;
  expect([exported, imported]).toEqual([COUNT, COUNT]);
  expect(fileBytes).toBeGreaterThan(150 * MIB);
  // A bare Node process with the engine takes some 80 MiB of it; the rest is caches of a fixed size.
  expect(peakBytes).toBeLessThan(fileBytes ?? 0);
});
