import { readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { UseSite } from "./deprecated-name.js";

type PrepareStackTrace = (error: Error, sites: NodeJS.CallSite[]) => unknown;

const names = new Map<string, string | undefined>();

function nameIn(folder: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const name = typeof parsed === "object" && parsed !== null && "name" in parsed ? parsed.name : undefined;
    return typeof name === "string" && name !== "" ? name : undefined;
  } catch {
    // No package.json here, or none that can be read: the folder above may have one.
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

/** The whole stack, whatever the host made of `Error.prepareStackTrace` and the limit. */
function callSites(): NodeJS.CallSite[] {
  const before = Object.getOwnPropertyDescriptor(Error, "prepareStackTrace");
  const { stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = 50;
    Error.prepareStackTrace = ((_error, sites) => sites) satisfies PrepareStackTrace;
    const holder: { stack?: unknown } = {};
    Error.captureStackTrace(holder, callSites);
    return Array.isArray(holder.stack) ? (holder.stack as NodeJS.CallSite[]) : [];
  } finally {
    if (before) Object.defineProperty(Error, "prepareStackTrace", before);
    else Reflect.deleteProperty(Error, "prepareStackTrace");
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function fileOf(site: NodeJS.CallSite): string | undefined {
  const name = site.getFileName();
  if (!name || name.startsWith("node:")) return undefined;
  return name.startsWith("file:") ? fileURLToPath(name) : name;
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
