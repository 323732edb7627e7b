import { reloadSchema } from "./schema-rows.js";
import type { Strategy } from "./strategy.js";

const CODES: ReadonlySet<string> = new Set(["unused-pages", "free-pages"]);

/**
 * Has the file written anew without pages that belong to nothing, as a repair leaves them that was killed between its
 * commit and its end. It changes nothing itself: the compacting that follows does.
 */
export const reclaimPages: Strategy = {
  name: "reclaim_pages",
  diagnose({ connection, findings }) {
    const concerned = findings.some(({ code }) => CODES.has(code));
    return concerned && reloadSchema(connection) === undefined ? ["main"] : undefined;
  },
  treat() {
    const detail = "Written anew: whole, and without pages that belong to nothing.";
    return { changes: [{ kind: "compacted", object: "main", detail }], leavesPages: true };
  },
};
