import type { ResolveHook } from "node:module";
import type { MessagePort } from "node:worker_threads";
import { PACKAGE } from "../analyser/compat-name.js";
import { loadNames } from "../scan/load-names.js";
import { pathOf } from "../runtime/use-site.js";
import type { NotedUse } from "./noted-use.js";
import { usesOfFile } from "./uses-of-file.js";
import type { WarningName } from "./uses-of-file.js";

const PREFIX = `${PACKAGE}/`;

let told: MessagePort | undefined;
let records: readonly WarningName[] = [];
const noted = new Set<string>();

/** Called once in the thread of the hooks. */
export function initialize({ port }: { readonly port: MessagePort }): void {
  told = port;
  records = loadNames() as readonly WarningName[];
}

function uses(specifier: string, parent: string): NotedUse[] {
  const file = pathOf(parent);
  if (file === undefined) return [];
  const entry = specifier.slice(PREFIX.length);
  const key = `${entry} ${file}`;
  if (noted.has(key)) return [];
  noted.add(key);
  try {
    return usesOfFile(file, entry, records);
  } catch {
    // What cannot be read is not told; the import itself says what is wrong with it.
    return [];
  }
}

/** Tells which names a module imports from an entry point of the layer; the import goes on as it would. */
export const resolve: ResolveHook = (specifier, context, next) => {
  if (specifier.startsWith(PREFIX) && context.parentURL?.startsWith("file:")) {
    for (const use of uses(specifier, context.parentURL)) told?.postMessage(use);
  }
  return next(specifier, context);
};
