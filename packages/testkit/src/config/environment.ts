/** What the environment says about a test run. Read at call time, so that a test can change it. */
export interface TestEnvironment {
  /** `HERMES_PEER_FILES`: folder of files that real peers wrote. */
  readonly peerFiles: string | undefined;
  /** `REQUIRE_PEER_FILES=1`: what needs the peer (its files, `python3`) fails instead of being skipped. */
  readonly requirePeer: boolean;
  /** `HERMES_TEST_SEED`: repeats a random run. */
  readonly seed: number | undefined;
  /** `HERMES_FUZZ_ROUNDS`: rounds of a damage test, in place of the few that every run makes. */
  readonly fuzzRounds: number | undefined;
}

/** Reads the variables of {@link TestEnvironment}. */
export function testEnvironment(): TestEnvironment {
  const seed = process.env["HERMES_TEST_SEED"];
  const rounds = process.env["HERMES_FUZZ_ROUNDS"];
  return {
    peerFiles: nonEmpty(process.env["HERMES_PEER_FILES"]),
    requirePeer: process.env["REQUIRE_PEER_FILES"] === "1",
    seed: seed === undefined || !/^\d+$/.test(seed) ? undefined : Number(seed) >>> 0,
    fuzzRounds: rounds === undefined || !/^[1-9]\d{0,5}$/.test(rounds) ? undefined : Number(rounds),
  };
}

/**
 * Environment of a child process: this one, without the marks of a test runner and without a store home of its own.
 *
 * @param changes - Variables to set; undefined removes one.
 */
export function childEnvironment(changes: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...process.env, ...withoutRunnerMarks, ...changes })) {
    if (value !== undefined) env[name] = value;
  }
  return env;
}

const withoutRunnerMarks: Readonly<Record<string, undefined>> = {
  VITEST: undefined,
  VITEST_MODE: undefined,
  VITEST_POOL_ID: undefined,
  VITEST_WORKER_ID: undefined,
  NODE_TEST_CONTEXT: undefined,
  NODE_OPTIONS: undefined,
  NODE_V8_COVERAGE: undefined,
  PYTEST_CURRENT_TEST: undefined,
  PYTEST_VERSION: undefined,
  HERMES_TEST_ISOLATION: undefined,
  // A run inside a test is no part of the run that is reported.
  HERMES_TEST_REPORTS: undefined,
  HERMES_STATE_DB_GUARD_BYPASS: undefined,
  HERMES_HOME: undefined,
};

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
