// Recovers a store and dies by SIGKILL in a phase of it: `node recover.mjs SOURCE OUTPUT PHASE`.
import { recoverStore } from "@hermes/state-repair";

const [source, output, at] = process.argv.slice(2);
await recoverStore({
  source,
  output,
  chunkSize: 10,
  onProgress: ({ phase, done }) => {
    if (phase === at && (done > 0 || phase === "search index")) process.kill(process.pid, "SIGKILL");
  },
});
