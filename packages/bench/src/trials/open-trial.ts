import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Corpus } from "../corpus/corpus.js";
import type { Sample } from "../measure/sample.js";
import type { Trial } from "../measure/trial.js";

const CHILD = fileURLToPath(new URL("./open-child.js", import.meta.url));

function openInChild(how: "store" | "engine", path: string): Sample {
  const output = execFileSync(process.execPath, [CHILD, how, path], { encoding: "utf8", timeout: 60_000 });
  return JSON.parse(output) as Sample;
}

/**
 * The first open of an existing, up-to-date store in a fresh process, after the native driver has been loaded: the goal
 * is at most 15 ms of CPU. The engine's side opens the same file and reads one row.
 */
export function openTrial(corpus: Corpus): Trial {
  const path = corpus.copy();
  return {
    name: "open an existing store (first in a process)",
    unit: "open",
    operations: 1,
    goal: { cpuMs: 15 },
    round: (storeFirst) => {
      const early = storeFirst ? openInChild("store", path) : undefined;
      const engine = openInChild("engine", path);
      return { store: early ?? openInChild("store", path), engine };
    },
  };
}
