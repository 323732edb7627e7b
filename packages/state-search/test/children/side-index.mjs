// Catches a side index up and asks it, again and again: node side-index.mjs PATH WORD TIMES
// The number of hits of each time comes back as one line of JSON.
import { openStateStore } from "@hermes/state-core";
import { catchUpSideIndex, dropSideIndex, searchMessages } from "@hermes/state-search";

const [, , path, word, times] = process.argv;
const store = openStateStore({ path, durability: "normal" });
const hits = [];
for (let time = 0; time < Number(times); time++) {
  store.messages.append("s1", { role: "user", content: `${word} ${process.pid} ${time}` });
  if (time % 7 === 6) dropSideIndex(path);
  catchUpSideIndex(store);
  const { hits: found } = searchMessages(store, word, { limit: -1, fields: ["id"] });
  const there = store.read((r) => r.get("SELECT count(*) AS n FROM messages WHERE instr(content, ?) > 0", [word]).n);
  hits.push([found.length, there]);
}
store.close();
console.log(JSON.stringify(hits));
