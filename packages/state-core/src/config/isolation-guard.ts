import { dirname, resolve, sep } from "node:path";
import { StateError } from "../errors/state-error.js";
import { environmentVariable, realHomeFolders } from "./environment.js";
import { ancestorArguments, readProcess } from "./process-ancestry.js";
import type { ProcessReader } from "./process-ancestry.js";

/** Set by test runners, by this project's own tests and by the peer's; any non-empty value arms the guard. */
const TEST_MARKERS = [
  "HERMES_TEST_ISOLATION",
  "PYTEST_CURRENT_TEST",
  "PYTEST_VERSION",
  "VITEST",
  "JEST_WORKER_ID",
  "NODE_TEST_CONTEXT",
];

/** Runners that may start a child without any marker. Others (jest, node:test) always leave one. */
const RUNNERS = new Set(["pytest", "py.test", "vitest"]);
const BYPASS = "HERMES_STATE_DB_GUARD_BYPASS";

/** What the guard looks at; injected by its tests. */
export interface GuardSurroundings {
  readonly env: (name: string) => string | undefined;
  readonly homes: readonly string[];
  readonly pid: number;
  readonly readProcess: ProcessReader;
}

function surroundings(): GuardSurroundings {
  return { env: environmentVariable, homes: realHomeFolders(), pid: process.pid, readProcess };
}

function lastSegment(token: string): string {
  const segment = token.split(/[\\/]/).at(-1) ?? "";
  return segment.toLowerCase().replace(/\.(exe|cmd|mjs|cjs|js)$/, "");
}

/** Finds what says that this process is part of a test run: a marker variable, or a test runner among its ancestors. */
export function findTestContext(around: GuardSurroundings): string | undefined {
  const marker = TEST_MARKERS.find((name) => (around.env(name) ?? "") !== "");
  if (marker) return marker;
  for (const argv of ancestorArguments(around.pid, around.readProcess)) {
    const runner = argv.map(lastSegment).find((segment) => RUNNERS.has(segment));
    if (runner) return runner;
  }
  return undefined;
}

/** True for a file directly in a real home's `.hermes`, or in one of its profiles; deeper paths are somebody's own. */
export function isRealHomeStore(path: string, homes: readonly string[]): boolean {
  const folder = dirname(resolve(path));
  return homes.some((home) => {
    const root = resolve(home, ".hermes");
    if (folder === root) return true;
    const profiles = root + sep + "profiles" + sep;
    return folder.startsWith(profiles) && !folder.slice(profiles.length).includes(sep);
  });
}

/**
 * Refuses to open the real home's store from a test, before anything is created (COR-12).
 *
 * @throws STATE_E_TEST_ISOLATION unless `HERMES_STATE_DB_GUARD_BYPASS` is exactly "1".
 */
export function guardTestIsolation(path: string, around: GuardSurroundings = surroundings()): void {
  if (!isRealHomeStore(path, around.homes) || around.env(BYPASS) === "1") return;
  const evidence = findTestContext(around);
  if (evidence === undefined) return;
  throw new StateError(
    "STATE_E_TEST_ISOLATION",
    `A test (${evidence}) may not open the real store ${path}. ` +
      `Give the test its own home: set HERMES_HOME to a temporary folder, or set ${BYPASS}=1 if this is meant.`,
    { path, evidence },
  );
}
