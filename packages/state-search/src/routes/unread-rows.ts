import type { SideQuestion } from "../plan/plan-search.js";
import { ODD, type SideReading } from "../side-index/side-reading.js";
import type { SearchScope, UnreadRows } from "./candidates.js";

const NO_TOOLS = `
  SELECT m.id FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value WHERE m.role <> 'tool'`;

/**
 * Output of a tool is held as far as it counts. More of it counts when all was asked for, and when the row is no tool's
 * any more, which older indexes do not log.
 */
function longRows(scope: SearchScope, ids: readonly number[]): readonly number[] {
  if (scope.wholeToolOutput || ids.length === 0) return ids;
  return scope.r.tuples<[number]>(NO_TOOLS, [JSON.stringify(ids)]).map(([id]) => id);
}

/** What the side index does not speak for. */
export function unreadRows(scope: SearchScope, { vouched }: SideQuestion, reading: SideReading): UnreadRows {
  const odd = reading.odd();
  const blank = odd.filter((row) => (row.odd & ODD.blank) !== 0).map(({ id }) => id);
  const long = odd.filter((row) => (row.odd & ODD.long) !== 0).map(({ id }) => id);
  const ids = new Set([...vouched.changed, ...blank, ...longRows(scope, long)]);
  return { ids: [...ids].sort((a, b) => a - b), after: vouched.upTo };
}
