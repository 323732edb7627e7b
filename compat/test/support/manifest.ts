import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "@hermes/testkit";

/** What tests read of a record of the manifest. */
export interface CompatRecord {
  readonly code: string;
  readonly entry: string;
  readonly name: string;
  readonly what: string;
  readonly kind: string;
  readonly status: string;
  readonly target: { readonly package?: string; readonly export: string } | null;
  readonly tests: readonly string[];
  readonly members?: readonly { readonly name: string }[];
}

const FILE = join(repoRoot(), "compat", "manifest.json");

/** The manifest, as it lies in the repository. */
export const records: readonly CompatRecord[] = (
  JSON.parse(readFileSync(FILE, "utf8")) as { readonly records: readonly CompatRecord[] }
).records;

/** The records of one entry point that it provides. */
export function provided(entry: string): readonly CompatRecord[] {
  return records.filter((one) => one.entry === entry && one.kind !== "unrestorable" && one.status !== "removed");
}

/** Their names, sorted. */
export function namesOf(entry: string): readonly string[] {
  return provided(entry)
    .map(({ name }) => name)
    .sort();
}
