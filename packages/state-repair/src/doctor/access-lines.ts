import { accessProblems, openModes } from "./access-problems.js";
import type { DoctorLine } from "./doctor-report.js";

/** What the modes of a store's files say. */
export function accessLines(path: string): DoctorLine[] {
  const problems = accessProblems(path).map(({ path: file, command }): DoctorLine => {
    const log = file.endsWith("-wal") ? " It holds committed messages: do not delete it." : "";
    const text = `${file} is not readable and writable for its owner.${log}`;
    return { level: "problem", code: "access", text, action: `Run: ${command}, or hermes-state doctor --fix.` };
  });
  const open = openModes(path);
  if (open.length === 0) return problems;
  const text = `Other users may read ${open.join(", ")}.`;
  const action = "Make them yours alone: hermes-state doctor --fix.";
  return [...problems, { level: "warning", code: "modes", text, action }];
}
