import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ViteUserConfig } from "vitest/config";

const packages = fileURLToPath(new URL("./packages/", import.meta.url));

/** Workspace packages resolve to their sources: a test sees the code beside it. Child processes use the build. */
const alias = Object.fromEntries(
  readdirSync(packages).map((name) => [`@hermes/${name}`, `${packages}${name}/src/index.ts`]),
);

const config: ViteUserConfig = {
  resolve: { alias },
  oxc: { target: "node20" },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    maxWorkers: 2,
  },
};

export default config;
