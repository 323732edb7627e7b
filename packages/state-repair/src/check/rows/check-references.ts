import type { Steps } from "../../steps/run-steps.js";
import type { CheckFinding } from "../check-report.js";
import type { CheckRun } from "../check-run.js";
import { engineTrouble } from "../engine-error.js";
import { finding } from "../findings.js";
import { guarded } from "../guarded.js";
import type { SchemaObject } from "../schema/schema-objects.js";

interface Broken {
  readonly table: string;
  readonly parent: string;
  readonly n: number;
}

const ORPHANS = `
  SELECT 'messages' AS "table", 'sessions' AS parent, count(1) AS n FROM messages AS m
  WHERE NOT EXISTS (SELECT 1 FROM sessions AS s WHERE s.id = m.session_id)`;
const ALL_BROKEN = 'SELECT "table", parent, count(1) AS n FROM pragma_foreign_key_check GROUP BY "table", parent';

/** Looks for rows that point to rows which are not there: no damage of bytes, and worth knowing. */
export function* checkReferences(run: CheckRun, objects: readonly SchemaObject[]): Steps<void> {
  const tables = new Set(objects.filter(({ type }) => type === "table").map(({ name }) => name));
  if (!tables.has("sessions") || !tables.has("messages")) return;
  const unreadable = (detail: string): CheckFinding =>
    finding("unreadable-rows", "main", `References cannot be followed: ${detail}.`);
  const what = run.level === "full" ? "references between rows" : "messages without a session";
  if (run.level === "quick") run.left("other references between rows (level full)");
  yield* guarded(run, what, unreadable, function* () {
    yield { phase: "references", done: 0, total: undefined };
    for (const broken of brokenReferences(run)) if (broken.n > 0) run.add(describe(broken));
  });
}

function brokenReferences(run: CheckRun): Broken[] {
  if (run.level === "quick") return run.r.all<Broken & object>(ORPHANS);
  try {
    return run.r.all<Broken & object>(ALL_BROKEN);
  } catch (error) {
    // A reference to columns that are not unique, as some old file may declare: the rest of it cannot be asked.
    if (engineTrouble(error) !== "damage" || !/foreign key mismatch/.test(String(error))) throw error;
    run.left("references other than that of messages, since the file declares one that the engine cannot follow");
    return run.r.all<Broken & object>(ORPHANS);
  }
}

function describe({ table, parent, n }: Broken): CheckFinding {
  if (table === "messages" && parent === "sessions") {
    return finding("orphans", table, `${n} messages belong to a session that has no row; no listing shows them.`);
  }
  return finding("dangling", table, `${n} rows of ${table} point to rows of ${parent} that are not there.`);
}
