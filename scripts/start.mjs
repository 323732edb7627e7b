/**
 * The main job, through the real command: brings the bundled sample conversations into a store in a temporary home,
 * finds, shows, adds, checks and exports, and leaves nothing behind. With `--db FILE` it does the reading part on that
 * store.
 *
 * Every step is checked; the first that does not do what it should ends the run with exit code 1.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = join(ROOT, "packages", "state-cli", "dist", "cli.js");
const SAMPLES = join(ROOT, "fixtures", "samples");
const STEP_TIMEOUT_MS = 60_000;

class StepFailed extends Error {}

function expect(condition, message) {
  if (!condition) throw new StepFailed(message);
}

/** Runs the command and returns what it printed; prints it too, so that the run can be read. */
function hermes(where, words, { show = true } = {}) {
  const line = ["hermes-state", ...words]
    .map((word) => (/^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
  if (show) console.log(`\n$ ${line}`);
  const run = spawnSync(process.execPath, [COMMAND, ...words, ...where], {
    encoding: "utf8",
    timeout: STEP_TIMEOUT_MS,
  });
  const printed = `${run.stdout}${run.stderr}`.trimEnd();
  if (show && printed !== "") console.log(printed.replace(/^(?=.)/gm, "  "));
  expect(!run.error, `${line}: ${run.error?.message}`);
  expect(run.status === 0, `${line}: exit code ${run.status}\n${printed}`);
  return run.stdout;
}

/** The same as a document; the answer for people is printed first. */
function answer(where, words, options) {
  if (options?.show !== false) hermes(where, words);
  return JSON.parse(hermes(where, [...words, "--json"], { show: false }));
}

const step = (title) => console.log(`\n— ${title}`);

/** What can be done with any store: nothing here writes. */
function read(where, folder, { queries, format }) {
  step("list the conversations");
  const { sessions } = answer(where, ["sessions", "list", "--limit", "10"]);
  expect(sessions.length > 0, "the store lists no conversation");

  step("find messages, in English and in Chinese");
  for (const query of queries) {
    const found = answer(where, ["search", query, "--limit", "3"]);
    expect(Array.isArray(found.hits), `search ${query} has no list of hits`);
    if (format.mustFind) expect(found.hits.length > 0, `search ${query} found nothing`);
  }

  step("show one conversation");
  const { id } = sessions.find((session) => session.messageCount > 0) ?? sessions[0];
  const shown = answer(where, ["sessions", "show", id, "--last", "6"]);
  expect(shown.session.id === id, `sessions show ${id} shows ${shown.session.id}`);

  step("check its health");
  const health = answer(where, ["check"]);
  expect(health.verdict === "healthy", `the check says ${health.verdict}`);

  step("export it to Markdown");
  const file = join(folder, "conversation.md");
  hermes(where, ["export", file, "--format", "md", "--session", id]);
  const markdown = readFileSync(file, "utf8");
  expect(markdown.startsWith("---\nformat: "), "the Markdown has no front matter");
  console.log(
    `  ${statSync(file).size} bytes; it begins:\n${markdown
      .split("\n")
      .slice(0, 14)
      .join("\n")
      .replace(/^(?=.)/gm, "  | ")}`,
  );
  return id;
}

function importSamples(where) {
  step("bring in the sample conversations: the peer's JSONL, and this stack's own");
  for (const name of ["peer-sessions.jsonl", "state-sessions.jsonl"]) {
    const file = join(SAMPLES, name);
    expect(existsSync(file), `the sample ${file} is missing`);
    const report = JSON.parse(hermes(where, ["import", file, "--json"], { show: false }));
    console.log(`\n$ hermes-state import ${file}\n  ${report.imported} sessions, ${report.messages} messages`);
    expect(report.imported > 0 && report.failed === 0, `${name}: ${report.imported} imported, ${report.failed} failed`);
  }
}

function appendAndFind(where) {
  step("add a message, and find it");
  const { sessions } = answer(where, ["sessions", "list", "--limit", "1"], { show: false });
  const [{ id }] = sessions;
  const { ids } = answer(
    where,
    ["sessions", "append", id, "--role", "user", "--content", "Remember: the zebrafish tank 斑马鱼 is fed at noon."],
    { show: false },
  );
  console.log(`  message ${ids[0]} was added to ${id}`);
  for (const query of ["zebrafish", "斑马鱼"]) {
    const { hits } = answer(where, ["search", query]);
    expect(
      hits.some((hit) => hit.messageId === ids[0]),
      `search ${query} does not find message ${ids[0]}`,
    );
  }
}

function bundled(folder) {
  const where = ["--home", join(folder, "home")];
  importSamples(where);
  read(where, folder, {
    queries: ["deploy AND lock", "数据库", "桂林 OR 漓江", "checksum*"],
    format: { mustFind: true },
  });
  appendAndFind(where);
  step("where everything is");
  hermes(where, ["path"]);
  hermes(where, ["status"]);
}

function onStore(folder, file) {
  const path = resolve(process.env.INIT_CWD ?? process.cwd(), file);
  expect(existsSync(path), `there is no file ${path}`);
  const before = statSync(path);
  step("where everything is");
  hermes(["--db", path], ["status"]);
  const where = ["--db", path, "--quiet"];
  read(where, folder, { queries: ["error", "the", "修复"], format: { mustFind: false } });
  const after = statSync(path);
  expect(before.size === after.size && before.mtimeMs === after.mtimeMs, `${path} was changed by reading it`);
}

function fileOf(words) {
  const given = words.filter((word) => word !== "--");
  if (given.length === 0) return undefined;
  const [name, file] = given[0].startsWith("--db=") ? ["--db", given[0].slice(5)] : given;
  expect(name === "--db" && file && given.length <= 2, "usage: start [--db FILE]");
  return file;
}

function main(words) {
  const started = process.hrtime.bigint();
  const folder = mkdtempSync(join(tmpdir(), "hermes-start-"));
  try {
    const file = fileOf(words);
    if (file === undefined) bundled(folder);
    else onStore(folder, file);
    const seconds = Number((process.hrtime.bigint() - started) / 1_000_000n) / 1000;
    console.log(`\nEvery step did what it should, in ${seconds.toFixed(1)} s.`);
    console.log(`The command is ${COMMAND}; its default store is ~/.hermes/state.db. The temporary home is gone.`);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.error(`\nstart failed: ${error.message}`);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main(process.argv.slice(2));
