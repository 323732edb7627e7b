import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ViteUserConfig } from "vitest/config";

const root = fileURLToPath(new URL("./", import.meta.url));
const packages = join(root, "packages/");

/** Workspace packages resolve to their sources: a test sees the code beside it. Child processes use the build. */
const alias = Object.fromEntries(
  readdirSync(packages).map((name) => [`@hermes/${name}`, `${packages}${name}/src/index.ts`]),
);

/** When `.ci/run` asks for it, every run leaves a JSON report that scripts/total-tests.mjs adds up. */
const reports = process.env.HERMES_TEST_REPORTS;
const runName = join(process.cwd(), "/") === root ? "scripts" : basename(process.cwd());
const outputFile = reports === undefined ? "" : join(reports, `${runName}@${process.pid}.json`);

const config: ViteUserConfig = {
  resolve: { alias },
  oxc: { target: "node20" },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: reports === undefined ? ["default"] : ["default", ["json", { outputFile }]],
    pool: "forks",
    maxWorkers: 2,
  },
};

export default config;
