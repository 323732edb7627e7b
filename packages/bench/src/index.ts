import { runBench } from "./run-bench.js";

runBench(process.argv.slice(2));
