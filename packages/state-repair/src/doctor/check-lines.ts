import type { CheckFinding, CheckReport } from "../check/check-report.js";
import type { DoctorLevel, DoctorLine } from "./doctor-report.js";

const LEVEL: Readonly<Record<CheckFinding["severity"], DoctorLevel>> = {
  damage: "problem",
  rebuild: "warning",
  note: "note",
};

/** What a check says, as lines; one line when it has nothing to say. */
export function checkLines({ verdict, level, findings }: CheckReport): DoctorLine[] {
  if (findings.length === 0) {
    return [{ level: "ok", code: "check", text: `nothing wrong was found (level ${level})`, action: null }];
  }
  return findings.map(({ severity, code, object, detail, action }) => ({
    level: verdict === "unknown" && severity === "note" ? "warning" : LEVEL[severity],
    code,
    text: `${object}: ${detail}`,
    action,
  }));
}
