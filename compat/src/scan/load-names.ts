import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CompatName } from "../analyser/compat-name.js";

/** The records of the manifest that this package carries. */
export function loadNames(): readonly CompatName[] {
  const path = createRequire(import.meta.url).resolve("@hermes/compat/manifest.json");
  const { records } = JSON.parse(readFileSync(path, "utf8")) as { readonly records: readonly CompatName[] };
  return records;
}
