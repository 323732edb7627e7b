/** What classes of the chain share and nobody outside calls. */
const INTERNAL: ReadonlySet<string> = new Set(["constructor", "row", "rows"]);

/** Names of the methods that a class and those above it offer. */
export function publicMethods(type: abstract new (...args: never[]) => object): readonly string[] {
  const names = new Set<string>();
  for (let at = type.prototype as object; at !== Object.prototype; at = Object.getPrototypeOf(at) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value === "function" && !INTERNAL.has(name)) names.add(name);
    }
  }
  return [...names].sort();
}
