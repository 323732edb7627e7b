// Repairs a store as the command does and prints the report. Arguments: path, and optional JSON {"freeBytes": n}.
import { applyRepair } from "@hermes/state-repair";

const [path, options = "{}"] = process.argv.slice(2);
const { freeBytes } = JSON.parse(options);
const space = freeBytes === undefined ? {} : { space: () => ({ freeBytes, totalBytes: 2 ** 30 }) };
const { repaired, strategy, backupPath, error, reason } = await applyRepair(path, { lockWaitMs: 0, ...space });
process.stdout.write(`${JSON.stringify({ repaired, strategy, backupPath, error, reason })}\n`);
