import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("./memory-child.js", import.meta.url));
const PATIENCE_MS = 60 * 60_000;
const MEGABYTES = 1000;
const NAMES = ["export-memory", "import-memory"] as const;

/** What a process needed to move a large store out or in. */
export interface MemoryResult {
  readonly name: string;
  /** Bytes of the export. */
  readonly bytes: number;
  /** The most memory that the process had, the runtime and the engine included. */
  readonly peakBytes: number;
  readonly cpuUs: number;
}

/**
 * Exports a gigabyte to nowhere, and imports it, each in a process that does nothing else. They take minutes and disk
 * space, so they only run when they are named.
 *
 * @param only - The word that names trials; empty runs none of these.
 */
export function runMemoryTrials(only: string): readonly MemoryResult[] {
  const wanted = NAMES.filter((name) => only !== "" && name.includes(only));
  if (wanted.length === 0) return [];
  const folder = mkdtempSync(join(tmpdir(), "hermes-bench-memory-"));
  const run = (...words: string[]): string =>
    execFileSync(process.execPath, [CHILD, ...words], { encoding: "utf8", timeout: PATIENCE_MS });
  const [source, file] = [join(folder, "source.db"), join(folder, "export.jsonl")];
  try {
    run("fill", source, String(MEGABYTES));
    return wanted.map((name) => {
      if (name === "export-memory") return { name, ...measured(run("export", source)) };
      run("export", source, file);
      return { name, ...measured(run("import", join(folder, "target.db"), file)) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measured(output: string): Omit<MemoryResult, "name"> {
  return JSON.parse(output) as Omit<MemoryResult, "name">;
}

/** One line for each. */
export function formatMemory(results: readonly MemoryResult[]): string {
  const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);
  return results
    .map(
      ({ name, bytes, peakBytes, cpuUs }) =>
        `${name}: ${mb(bytes)} MB moved, peak RSS ${mb(peakBytes)} MB, ${(cpuUs / 1e6).toFixed(1)} s of CPU`,
    )
    .join("\n");
}
