import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isJsonObject } from "@hermes/state-core";
import { PACKAGE } from "../analyser/compat-name.js";
import type { CompatName } from "../analyser/compat-name.js";
import { replaceFile } from "./replace-file.js";

const SECTIONS = ["dependencies", "peerDependencies", "optionalDependencies", "devDependencies"];

type Section = Record<string, string>;

/** The package.json that a file is under, not above the folder of the plugin; undefined where there is none. */
function manifestOf(file: string, root: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest)) return manifest;
    if (folder === root || folder === dirname(folder)) return undefined;
  }
}

/** A range that goes by names of its own, like `workspace:*`, goes for the sister packages as well. */
function rangeFor(name: string, layerRange: string): string {
  if (!/\d/.test(layerRange)) return layerRange;
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return `^${(JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version}`;
}

function withNames(section: Section, names: readonly string[]): Section {
  const keys = Object.keys(section);
  const added = names.map((name) => [name, rangeFor(name, section[PACKAGE] ?? "")] as const);
  const entries = [...Object.entries(section), ...added];
  const sorted = keys.every((key, at) => at === 0 || (keys[at - 1] ?? "") < key);
  return Object.fromEntries(sorted ? entries.sort(([a], [b]) => (a < b ? -1 : 1)) : entries);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is left to a person.
    return undefined;
  }
}

/** The text of a package.json with what its code imports now; the same text where nothing is to be added. */
function declare(text: string, used: ReadonlySet<string>): string {
  const parsed = parse(text);
  if (!isJsonObject(parsed)) return text;
  const sections = SECTIONS.flatMap((key) =>
    isJsonObject(parsed[key]) ? [[key, parsed[key] as Section] as const] : [],
  );
  const home = sections.find(([, section]) => PACKAGE in section);
  const missing = [...used].filter((name) => name !== parsed["name"] && !sections.some(([, names]) => name in names));
  if (!home || missing.length === 0) return text;
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "";
  const end = /\r?\n$/.exec(text)?.[0] ?? "";
  const next = JSON.stringify({ ...parsed, [home[0]]: withNames(home[1], missing.sort()) }, null, indent);
  return `${text.includes("\r\n") ? next.replaceAll("\n", "\r\n") : next}${end}`;
}

/**
 * Declares the focused packages that the files of a plugin import, where its package.json declares the layer: in the
 * same section, for the versions that this layer is built upon. A package.json that declares no layer is left alone.
 *
 * @param files - Absolute, with their texts.
 * @param root - The folder of the plugin.
 * @returns The files that were changed.
 */
export function fixDependencies(
  files: ReadonlyMap<string, string>,
  root: string,
  records: readonly CompatName[],
): string[] {
  const packages = [...new Set(records.flatMap(({ target }) => target?.package ?? []))];
  const used = new Map<string, Set<string>>();
  for (const [file, text] of files) {
    const names = packages.filter((name) => text.includes(`"${name}"`) || text.includes(`'${name}'`));
    const manifest = names.length === 0 ? undefined : manifestOf(file, root);
    if (manifest !== undefined) used.set(manifest, new Set([...(used.get(manifest) ?? []), ...names]));
  }
  return [...used].flatMap(([manifest, names]) => {
    const text = readFileSync(manifest, "utf8");
    const next = declare(text, names);
    if (next === text) return [];
    replaceFile(manifest, next);
    return [manifest];
  });
}
