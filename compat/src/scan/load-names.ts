import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CompatName } from "../analyser/compat-name.js";

let names: readonly CompatName[] | undefined;

/** The records of the manifest that this package carries: the same ones at each call. */
export function loadNames(): readonly CompatName[] {
  return (names ??= readNames());
}

function readNames(): readonly CompatName[] {
  const path = createRequire(import.meta.url).resolve("@hermes/compat/manifest.json");
  const { records } = JSON.parse(readFileSync(path, "utf8")) as { readonly records: readonly CompatName[] };
  return records;
}
