// Opens a store and closes it again, over and over: the last one to close takes the log away.
import { openStateStore } from "@hermes/state-core";

const [path, rounds] = process.argv.slice(2);
const failures = [];
for (let round = 0; round < Number(rounds); round++) {
  try {
    openStateStore({ path }).close();
  } catch (error) {
    failures.push(`${error.code} ${error.message}`);
  }
}
process.stdout.write(JSON.stringify([...new Set(failures)]));
