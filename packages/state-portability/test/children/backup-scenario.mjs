// Makes a backup, or restores one, and dies of SIGKILL at a stage. Arguments: JSON of the call, and the stage.
import { subscribe } from "node:diagnostics_channel";
import { backupStore, restoreStore } from "@hermes/state-portability";

const [call, at] = process.argv.slice(2);
const { what, source, target, keep = 2 } = JSON.parse(call);
const space = () => ({ freeBytes: 2 ** 40, totalBytes: 2 ** 40 });
const die = () => process.kill(process.pid, "SIGKILL");
subscribe("hermes:state:backup", ({ stage }) => {
  process.stdout.write(`${stage}\n`);
  if (stage === at) die();
});
const onProgress = ({ phase }) => {
  if (at === `in:${phase}`) die();
};
if (what === "backup") await backupStore(source, target, { space, onProgress, keep });
else await restoreStore(source, target, { space, onProgress });
process.stdout.write("done\n");
