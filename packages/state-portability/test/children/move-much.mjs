/**
 * Fills a store with `count` tool results of `size` characters in one session, exports it and imports the file into
 * another store. Prints sizes and the peak memory of the moving alone, measured in a process that did not fill the
 * store.
 *
 * usage: move-much.mjs <core URL> <portability URL> <folder> <step: fill|move> <count> <size>
 */
import { statSync } from "node:fs";
import { join } from "node:path";

const [coreUrl, portabilityUrl, folder, step, count, size] = process.argv.slice(2);
const { openStateStore } = await import(coreUrl);
const { exportStore, fileSink, importInto } = await import(portabilityUrl);
const from = join(folder, "from.db");
const file = join(folder, "much.jsonl");

function fill() {
  const store = openStateStore({ path: from, durability: "normal" });
  store.sessions.create({ id: "much", source: "cli" });
  const content = "lorem ipsum 数据 ".repeat(Math.ceil(Number(size) / 15)).slice(0, Number(size));
  for (let done = 0; done < Number(count); done += 50) {
    store.messages.appendBatch(
      "much",
      Array.from({ length: 50 }, (_, index) => ({
        role: "tool",
        toolName: "t",
        content: `${done + index} ${content}`,
      })),
    );
  }
  store.close();
}

async function move() {
  const source = openStateStore({ path: from, mode: "read" });
  const exported = await exportStore(source, fileSink(source, file), { format: "jsonl" });
  source.close();
  const target = openStateStore({ path: join(folder, "to.db"), durability: "normal" });
  const imported = await importInto(target, file);
  target.close();
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  console.log(
    JSON.stringify({
      fileBytes: statSync(file).size,
      peakBytes,
      exported: exported.messages,
      imported: imported.messages,
    }),
  );
}

if (step === "fill") fill();
else await move();
