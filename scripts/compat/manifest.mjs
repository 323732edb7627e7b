/** The manifest of the compat layer: reading it, and the rules that every record obeys (CPT-01, CPT-03). */
import { readFileSync } from "node:fs";

export const KINDS = [
  "stable",
  "moved-lazy",
  "import",
  "restored-def",
  "restored-helper",
  "module-stub",
  "unrestorable",
];
const STATUSES = ["stable", "deprecated", "removed"];
const WHATS = ["class", "const", "function", "type"];
const KEYS = [
  "code",
  "entry",
  "name",
  "old",
  "what",
  "kind",
  "target",
  "status",
  "since",
  "warnsFrom",
  "removal",
  "replacement",
  "note",
  "tests",
];
const OPTIONAL_KEYS = ["members"];
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/** @returns The records in the order of entry and name. */
export function readManifest(path) {
  const { records } = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  return records;
}

function isTarget(target) {
  const text = (value) => typeof value === "string" && value !== "";
  if (target === null || typeof target !== "object" || !text(target.export)) return false;
  return text(target.package) !== text(target.module);
}

function datesOf({ status, warnsFrom, removal }) {
  for (const [key, day] of Object.entries({ warnsFrom, removal })) {
    if (day !== null && !DAY.test(day)) return [`${key} must be a day like 2027-06-30, or null`];
  }
  if (status === "stable" && (warnsFrom !== null || removal !== null)) return ["a stable name has no dates"];
  if (warnsFrom !== null && removal !== null && warnsFrom >= removal) return ["it is removed before it warns"];
  return [];
}

function problemsOf(record) {
  const found = [];
  const known = new Set([...KEYS, ...OPTIONAL_KEYS]);
  for (const key of KEYS) if (!(key in record)) found.push(`${key} is missing`);
  for (const key of Object.keys(record)) if (!known.has(key)) found.push(`${key} is no key of a record`);
  if (!/^HSC\d{4}$/.test(record.code ?? "")) found.push("its code must be HSC and four digits");
  if (!NAME.test(record.name ?? "")) found.push("its name must be a public one: a letter first, no underscore");
  if (!KINDS.includes(record.kind)) found.push(`its kind must be one of ${KINDS.join(", ")}`);
  if (!STATUSES.includes(record.status)) found.push(`its status must be one of ${STATUSES.join(", ")}`);
  if (!WHATS.includes(record.what)) found.push(`what it is must be one of ${WHATS.join(", ")}`);
  if ((record.kind === "stable") !== (record.status === "stable")) found.push("kind and status disagree");
  if (record.kind === "unrestorable") {
    if (record.target !== null) found.push("what is not provided has no target");
    if (!record.note || !record.replacement) found.push("what is not provided needs a reason and a pointer");
  } else if (!isTarget(record.target)) {
    found.push("its target must name an export, and either a package or a module");
  }
  if (record.status === "deprecated" && !record.replacement) found.push("what is deprecated needs a replacement");
  if (!Array.isArray(record.tests) || record.tests.length === 0) found.push("it needs a test");
  return [...found, ...datesOf(record)];
}

/** @returns One line for each thing that is wrong; none for a manifest as it should be. */
export function checkManifest(records) {
  const problems = records.flatMap((record) =>
    problemsOf(record).map((problem) => `${record.code} ${record.entry} ${record.name}: ${problem}`),
  );
  const seen = new Map();
  for (const { code, entry, name } of records) {
    for (const key of [code, `${entry} ${name}`]) {
      if (seen.has(key)) problems.push(`${key} is there twice`);
      seen.set(key, true);
    }
  }
  const order = records.map(({ entry, name }) => `${entry} ${name}`);
  const sorted = [...order].sort((a, b) => (a < b ? -1 : 1));
  const misplaced = order.find((key, at) => key !== sorted[at]);
  if (misplaced !== undefined) problems.push(`${misplaced} is not in the order of entry and name`);
  return problems;
}

/** The names that an entry point provides, by entry. */
export function entriesOf(records) {
  const entries = new Map();
  for (const record of records) {
    if (!entries.has(record.entry)) entries.set(record.entry, []);
    if (record.kind !== "unrestorable" && record.status !== "removed") entries.get(record.entry).push(record);
  }
  return entries;
}
