/**
 * Adds up the JSON reports that the test runs of one verification left in a folder, and says so in one plain line.
 *
 *   node scripts/total-tests.mjs REPORTS [--failed-steps N]
 *
 * A suite that could not be loaded counts as failed, and so does a package whose tests left no report, and every other
 * step that failed: the last line never says "0 failed" about a red run. Exit code 0 only when something passed and
 * nothing failed.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const WORKSPACES = ["packages", ".", "examples"];

/** Names of the runs that must have left a report: every package of the workspace with tests, and the scripts. */
export function expectedRuns(folder) {
  const packages = WORKSPACES.filter((parent) => existsSync(join(folder, parent))).flatMap((parent) =>
    readdirSync(join(folder, parent)).filter((name) => {
      const manifest = join(folder, parent, name, "package.json");
      return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).scripts?.test !== undefined;
    }),
  );
  return [...packages, "scripts"];
}

/** @returns {{ passed: number, failed: number, skipped: number, notes: string[] }} */
export function totalReports(reports, expected) {
  const total = { passed: 0, failed: 0, skipped: 0, notes: [] };
  const fail = (count, note) => {
    total.failed += count;
    total.notes.push(note);
  };
  for (const name of expected) {
    const found = reports.filter((report) => report.name === name);
    if (found.length === 0) fail(1, `${name}: left no report, so its tests did not run`);
    for (const { result } of found) {
      total.passed += result.numPassedTests;
      total.failed += result.numFailedTests;
      total.skipped += result.numPendingTests + result.numTodoTests;
      const unloadable = result.testResults.filter(
        (suite) => suite.status === "failed" && !suite.assertionResults.some((test) => test.status === "failed"),
      );
      for (const suite of unloadable) fail(1, `${name}: ${basename(suite.name)} did not run to its end`);
      if (result.numTotalTests === 0) fail(1, `${name}: ran no test`);
    }
  }
  return total;
}

function readReports(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => ({ name: file.split("@")[0], result: JSON.parse(readFileSync(join(folder, file), "utf8")) }));
}

function main([folder, flag, failedSteps]) {
  const total = totalReports(readReports(folder), expectedRuns(root));
  if (flag === "--failed-steps") total.failed += Number(failedSteps);
  for (const note of total.notes) console.log(note);
  if (total.skipped > 0) console.log(`${total.skipped} skipped`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
