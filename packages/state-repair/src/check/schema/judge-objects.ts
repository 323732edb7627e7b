import type { CheckFinding } from "../check-report.js";
import { finding } from "../findings.js";
import { isSearchIndexName } from "./schema-objects.js";
import type { SchemaObject } from "./schema-objects.js";

/**
 * What the engine accepts and is still wrong: two objects of one name, an object without a name, and two objects that
 * share a root page. Under a shared root, one table shows the rows of another (REP-06).
 */
export function judgeObjects(objects: readonly SchemaObject[]): CheckFinding[] {
  return [...doubles(objects), ...nameless(objects), ...sharedRoots(objects)];
}

function doubles(objects: readonly SchemaObject[]): CheckFinding[] {
  return [...groups(objects, ({ type, name }) => `${type} ${name}`).values()]
    .filter((group) => group.length > 1)
    .map(([first]) => first?.name ?? "")
    .map((name) => finding("schema-duplicate", name, `${name} stands in the schema more than once.`));
}

function nameless(objects: readonly SchemaObject[]): CheckFinding[] {
  const known = new Set(["table", "index", "view", "trigger"]);
  const odd = objects.filter(({ type, name }) => !known.has(type) || typeof name !== "string" || name === "");
  if (odd.length === 0) return [];
  return [finding("schema-nameless", "sqlite_master", `${odd.length} entries of the schema are no objects.`)];
}

function sharedRoots(objects: readonly SchemaObject[]): CheckFinding[] {
  const rooted = objects.filter(({ root }) => typeof root === "number" && root > 0);
  return [...groups(rooted, ({ root }) => String(root)).values()]
    .filter((group) => group.length > 1)
    .map((group) => {
      const names = group.map(({ name }) => name);
      const search = names.every(isSearchIndexName);
      const detail = `${names.join(" and ")} begin on the same page, ${group[0]?.root ?? 0}.`;
      return finding("shared-root", names[0] ?? "", detail, search ? { area: "search-index" } : {});
    });
}

function groups<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = found.get(key);
    if (group) group.push(item);
    else found.set(key, [item]);
  }
  return found;
}
