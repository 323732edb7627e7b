import type { CompatHit } from "../analyser/compat-hit.js";
import { PACKAGE } from "../analyser/compat-name.js";

/** One line of a plugin that uses a name which does not stay. */
export interface PluginHit {
  /** Relative to the scanned folder, with "/"; the file's own name when one file was scanned. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** `@hermes/compat/<entry>.<name>`; only the entry for a use of the whole module. */
  readonly old: string;
  /** Where it is to be had now, or what to do instead. */
  readonly new: string;
  /** Null for a use of the whole module. */
  readonly code: string | null;
  readonly removal: string | null;
}

function newPlace({ record, entry, name }: CompatHit): string {
  if (!record) return `the modules that COMPAT_MANIFEST.md names for ${PACKAGE}/${entry}`;
  const { target, replacement } = record;
  if (target?.package !== undefined) return `${target.package}.${target.export}`;
  const instead = replacement ?? "no replacement: keep a copy in the plugin";
  return `${PACKAGE}/${entry}.${name} (not kept: ${instead})`;
}

export function pluginHit(file: string, hit: CompatHit): PluginHit {
  const { entry, name, line, record } = hit;
  const old = record ? `${PACKAGE}/${entry}.${name}` : `${PACKAGE}/${entry}`;
  return { file, line, old, new: newPlace(hit), code: record?.code ?? null, removal: record?.removal ?? null };
}

/** Sorted by file, line and old name; the same use on one line once. */
export function sortHits(hits: readonly PluginHit[]): PluginHit[] {
  const unique = new Map(hits.map((hit) => [`${hit.file}\0${hit.line}\0${hit.old}`, hit]));
  return [...unique.values()].sort((a, b) => compare(a.file, b.file) || a.line - b.line || compare(a.old, b.old));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
