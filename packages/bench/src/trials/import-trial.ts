import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SearchCorpus } from "../corpus/search-corpus.js";
import type { Sample } from "../measure/sample.js";
import type { Trial } from "../measure/trial.js";

const CHILD = fileURLToPath(new URL("./import-child.js", import.meta.url));
const MESSAGES = 100_000;
const PATIENCE_MS = 30 * 60_000;

/**
 * A hundred thousand messages come in from this stack's own JSONL, parsing included, each side in a process of its own
 * on a new file. The goal is at most half the CPU of the same rows inserted on the bare driver, where triggers index
 * them row by row.
 */
export function importTrial(corpus: SearchCorpus): Trial {
  let exported: string | undefined;
  const run = (how: string, path: string, file: string): unknown =>
    JSON.parse(
      execFileSync(process.execPath, [CHILD, how, path, file], { encoding: "utf8", timeout: PATIENCE_MS }),
    ) as unknown;
  const inNewFile = (how: "store" | "engine"): Sample => {
    if (exported === undefined) run("export", corpus.path, (exported = `${corpus.path}.jsonl`));
    const path = `${corpus.path}.${how}`;
    try {
      return run(how, path, exported) as Sample;
    } finally {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    }
  };
  return {
    name: "import 100,000 messages",
    unit: "message",
    operations: MESSAGES,
    goal: { ratio: 0.5 },
    firstRoundCounts: true,
    round: (storeFirst) => {
      const early = storeFirst ? inNewFile("store") : undefined;
      const engine = inNewFile("engine");
      return { store: early ?? inNewFile("store"), engine };
    },
  };
}
