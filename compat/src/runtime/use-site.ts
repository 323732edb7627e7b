import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { UseSite } from "./deprecated-name.js";

type PrepareStackTrace = (error: Error, sites: NodeJS.CallSite[]) => unknown;

const names = new Map<string, string | undefined>();

function nameIn(folder: string): string | undefined {
  try {
    const text = readFileSync(join(folder, "package.json"), "utf8");
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    const name = typeof parsed === "object" && parsed !== null && "name" in parsed ? parsed.name : undefined;
    return typeof name === "string" && name !== "" ? name : undefined;
  } catch {
    // No package.json here, or none that can be read: the folder above may have one.
    return undefined;
  }
}

/** The file of a URL; undefined for one that is on another machine, or that is no path. */
export function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // Other loaders give modules any URL they like.
    return undefined;
  }
}

/** The package that a file belongs to: the next package.json above it that has a name. */
export function packageOf(file: string): string | undefined {
  const folder = dirname(file);
  if (names.has(folder)) return names.get(folder);
  const above = dirname(folder) === folder ? undefined : folder;
  const name = nameIn(folder) ?? (above === undefined ? undefined : packageOf(folder));
  names.set(folder, name);
  return name;
}

/**
 * Gives Error another property for a while. It is defined, not assigned: a setter of the host does not hear of it, and
 * an Error that nobody may change is no error here.
 *
 * @returns Puts back what was there.
 */
function lend(key: "prepareStackTrace" | "stackTraceLimit", value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(Error, key);
  const lent = Reflect.defineProperty(Error, key, { value, configurable: true });
  return () => {
    if (lent && before) Object.defineProperty(Error, key, before);
    else if (lent) Reflect.deleteProperty(Error, key);
  };
}

/** The whole stack, whatever the host made of `Error.prepareStackTrace` and the limit; empty where it lets nobody. */
function callSites(): NodeJS.CallSite[] {
  const giveBack = [
    lend("stackTraceLimit", 50),
    lend("prepareStackTrace", ((_error, sites) => sites) satisfies PrepareStackTrace),
  ];
  try {
    const holder: { stack?: unknown } = {};
    Error.captureStackTrace(holder, callSites);
    return Array.isArray(holder.stack) ? (holder.stack as NodeJS.CallSite[]) : [];
  } finally {
    for (const restore of giveBack) restore();
  }
}

/** The file of a frame; undefined for code that has none: of Node, of `eval`, or under a name that a caller made up. */
function fileOf(site: NodeJS.CallSite): string | undefined {
  const name = site.getFileName() ?? "";
  const file = name.startsWith("file:") ? pathOf(name) : name;
  return file !== undefined && isAbsolute(file) ? file : undefined;
}

/**
 * Where the code stands that reads a name of an entry point: the nearest frame outside of this package.
 *
 * @param own - Folders of this package; their frames are not the caller's.
 */
export function useSite(own: readonly string[]): UseSite {
  for (const site of callSites()) {
    const file = fileOf(site);
    if (file === undefined || own.some((folder) => file.startsWith(folder + sep))) continue;
    return { plugin: packageOf(file), file, line: site.getLineNumber() ?? undefined };
  }
  return { plugin: undefined, file: undefined, line: undefined };
}
