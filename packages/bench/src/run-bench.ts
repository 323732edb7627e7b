import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Corpus } from "./corpus/corpus.js";
import { ManyRoutes } from "./corpus/many-routes.js";
import { ManySessions } from "./corpus/many-sessions.js";
import { SearchCorpus } from "./corpus/search-corpus.js";
import { runTrial } from "./measure/run-trial.js";
import type { Result } from "./measure/result.js";
import { formatLatencies } from "./report/format-latencies.js";
import { formatResults } from "./report/format-results.js";
import { gatewayTrials } from "./trials/gateway-trials.js";
import { importTrial } from "./trials/import-trial.js";
import { listingTrials } from "./trials/listing-trials.js";
import { formatMemory, runMemoryTrials } from "./trials/memory-trials.js";
import { openTrial } from "./trials/open-trial.js";
import { pairedTrial } from "./trials/paired-trial.js";
import { readTrials } from "./trials/read-trials.js";
import { salvageTrial } from "./trials/salvage-trial.js";
import { checkTrial } from "./trials/check-trial.js";
import { runSearchTrials } from "./trials/search-trials.js";
import { appendBatch, appendOne, saveTranscript } from "./trials/write-trials.js";

const OPTIONS = {
  rounds: { type: "string", default: "7" },
  only: { type: "string", default: "" },
  json: { type: "string" },
} as const;

/**
 * Runs the trials and prints their medians. Nothing is asserted: a shared machine gives figures to read,
 * not to trust.
 *
 * @param args - `--rounds N`, `--only TEXT` (part of a trial's name), `--json FILE`.
 */
export function runBench(args: readonly string[]): readonly Result[] {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  using corpus = new Corpus();
  using many = new ManySessions();
  using routes = new ManyRoutes();
  using english = new SearchCorpus("100,000 messages, 5 % Chinese", 0.05);
  using chinese = new SearchCorpus("100,000 messages, 80 % Chinese", 0.8);
  const rounds = Number(values.rounds);
  const wanted = (name: string): boolean => name.includes(values.only);
  const trials = [
    openTrial(corpus),
    ...[appendOne, appendBatch, saveTranscript, ...readTrials].map((trial) => pairedTrial(corpus, trial)),
    ...listingTrials(many),
    ...gatewayTrials(routes),
    salvageTrial(many),
    checkTrial(english),
    importTrial(english),
  ].filter(({ name }) => wanted(name));
  const results = trials.map((trial) => runTrial(trial, rounds));
  if (results.length > 0) console.log(formatResults(results));
  const latencies = [english, chinese].flatMap((corpus) => runSearchTrials(corpus, rounds, wanted));
  if (latencies.length > 0) console.log(formatLatencies(latencies));
  const memory = runMemoryTrials(values.only);
  if (memory.length > 0) console.log(formatMemory(memory));
  const machine = { node: process.version, platform: process.platform, arch: process.arch };
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine, results, latencies, memory }, null, 2)}\n`);
  return results;
}
