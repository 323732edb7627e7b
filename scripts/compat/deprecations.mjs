/** What must hold between the manifest of the compat layer, its last release, and the pending changesets (CPT-08). */

const ORDER = ["stable", "deprecated", "removed"];

/** Facts of a record that a plugin author should hear of when they change. */
const TOLD = ["entry", "name", "kind", "target", "status", "warnsFrom", "removal", "replacement", "members"];

const RANGE = /HSC(\d{4})(?:\.\.HSC(\d{4}))?/g;

/** The codes that a changeset names, one by one or as `HSC0001..HSC0010`. */
export function namedCodes(text) {
  const codes = new Set();
  for (const [, from, to = from] of text.matchAll(RANGE)) {
    for (let number = Number(from); number <= Number(to); number++) codes.add(`HSC${String(number).padStart(4, "0")}`);
  }
  return codes;
}

function changedFacts(record, before) {
  if (!before) return ["it is new"];
  return TOLD.filter((key) => JSON.stringify(record[key]) !== JSON.stringify(before[key])).map(
    (key) => `its ${key} changed`,
  );
}

function backwards(record, before) {
  if (!before || ORDER.indexOf(record.status) >= ORDER.indexOf(before.status)) return [];
  return [`its status goes back from ${before.status} to ${record.status}`];
}

/** A stable name stays; it may only be replaced through a deprecation of its own code. */
function overdue({ status, removal }, today) {
  return status === "deprecated" && removal !== null && removal <= today
    ? [`its day ${removal} has come: set its status to removed`]
    : [];
}

/**
 * Everything that is wrong, one line each.
 *
 * @param released - Records as they were last released; empty before the first release.
 * @param changesets - Texts of the pending changesets.
 * @param today - `YYYY-MM-DD`.
 * @param exists - Whether a file of the repository is there.
 * @param anchors - Codes that a page of deprecations has an anchor for.
 */
export function checkDeprecations({ records, released, changesets, today, exists, anchors }) {
  const before = new Map(released.map((record) => [record.code, record]));
  const told = new Set(changesets.flatMap((text) => [...namedCodes(text)]));
  const problems = records.flatMap((record) => {
    const old = before.get(record.code);
    const untold = told.has(record.code)
      ? []
      : changedFacts(record, old).map((fact) => `${fact} and no changeset names it`);
    const tests = record.tests.filter((file) => !exists(file)).map((file) => `its test ${file} is not there`);
    const page = record.status === "stable" || anchors.has(record.code) ? [] : ["no page has an anchor for it"];
    return [...untold, ...backwards(record, old), ...overdue(record, today), ...tests, ...page].map(
      (problem) => `${record.code} ${record.entry} ${record.name}: ${problem}`,
    );
  });
  const kept = new Set(records.map(({ code }) => code));
  const lost = released.filter(({ code }) => !kept.has(code));
  return [
    ...problems,
    ...lost.map(({ code, name }) => `${code} ${name}: a record is never taken out, set it to removed`),
  ];
}
