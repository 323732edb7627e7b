/**
 * What it costs to require each CommonJS entry point without reading a name (CPT-01: less than 10 ms of CPU). Fresh
 * processes load an entry point and an empty module in turn; the medians of `process.cpuUsage` around the `require` are
 * compared, so that what the loader itself costs is left out.
 *
 * Usage: node bench/import-cost.mjs [rounds]. Build the packages first.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BUDGET_MS = 10;
const LAYER = fileURLToPath(new URL("..", import.meta.url));
const rounds = Number(process.argv[2] ?? 25);
if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError("The number of rounds is a whole number from 1 on.");

const CHILD = `const before = process.cpuUsage();
  require(process.argv[1]);
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1000);`;

/** CPU of one `require` in a process of its own, in milliseconds. */
function costOf(file) {
  const args = ["--input-type=commonjs", "-e", CHILD, file];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8", timeout: 30_000 }));
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The entry points that `require` knows. */
function faces() {
  const { exports } = JSON.parse(readFileSync(join(LAYER, "package.json"), "utf8"));
  return Object.entries(exports).flatMap(([name, { require: face }]) => (face ? [[name.slice(2), face.default]] : []));
}

function compare(empty, face) {
  const pairs = Array.from({ length: rounds }, () => [costOf(empty), costOf(face)]);
  const [base, cost] = [0, 1].map((at) => median(pairs.map((pair) => pair[at])));
  return { cost, more: cost - base, ratio: cost / base };
}

const folder = mkdtempSync(join(tmpdir(), "compat-bench-"));
try {
  const empty = join(folder, "empty.cjs");
  writeFileSync(empty, "");
  console.log(`CPU of require in ${rounds} fresh processes each, Node ${process.versions.node}; median, milliseconds`);
  for (const [name, file] of faces()) {
    const { cost, more, ratio } = compare(empty, join(LAYER, file));
    const verdict = more < BUDGET_MS ? "" : `  more than ${BUDGET_MS} ms`;
    const numbers = [`${cost.toFixed(2)}`, `+${more.toFixed(2)}`, `x${ratio.toFixed(2)}`];
    console.log(`${name.padEnd(28)}${numbers.map((text) => text.padStart(8)).join("")}${verdict}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
