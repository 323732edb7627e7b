import { EXIT } from "../errors/exit-code.js";
import { formatBytes } from "../output/format-bytes.js";
import { present, shortTime } from "../output/present.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { Verb } from "../verb.js";
import { backupFolder } from "./backup-create.js";

/** Lists backups, newest first; no byte of them is read. */
export const backupList: Verb<{ readonly dir?: string }> = async (context, { dir }) => {
  const { output } = context;
  const { listBackups } = await import("@hermes/state-portability");
  const folder = await backupFolder(context, dir);
  const backups = listBackups(folder);
  if (output.mode === "json") await output.json(present({ folder, backups }));
  else if (output.mode === "jsonl") for (const backup of backups) await output.jsonl(present(backup));
  else if (backups.length === 0) await output.text(`There are no backups in ${folder}.`);
  for (const { path, record, intact } of output.mode === "human" ? backups : []) {
    const { createdAtSeconds, bytes, counts } = record;
    const what = `${String(counts.sessions)} sessions, ${String(counts.messages)} messages`;
    const state = intact ? "" : `  ${output.colors.red("changed since it was made")}`;
    await output.text(`${shortTime(createdAtSeconds)}  ${formatBytes(bytes)}  ${what}  ${sanitizeLine(path)}${state}`);
  }
  return EXIT.done;
};
