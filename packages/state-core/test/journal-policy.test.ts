import { describe, expect, it } from "vitest";
import { applyJournalPolicy } from "../src/connection/journal-policy.js";
import type { JournalChoice, JournalWarning } from "../src/connection/journal-policy.js";

const SOUND = "3.53.2";
const BUGGY = "3.40.1";

/** What the engine answers to one pragma: a value, or an error of the driver. */
type Answer = string | Error;

interface Row {
  readonly title: string;
  readonly configured?: JournalChoice;
  readonly version?: string;
  readonly fresh?: boolean;
  readonly held?: boolean;
  readonly crossVm?: boolean;
  /** Successive answers of `PRAGMA journal_mode`; the last one repeats. */
  readonly mode: readonly Answer[];
  /** Successive answers of `PRAGMA journal_mode=WAL`; the last one repeats. */
  readonly enable?: readonly Answer[];
  /** The mode in effect, or "throws". */
  readonly expected: string;
  readonly asked: number;
  readonly warnings: readonly JournalWarning[];
}

function ioError(): Error {
  return Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
}

function driverError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

const ROWS: readonly Row[] = [
  { title: "fresh file gets WAL", mode: ["delete"], enable: ["wal"], expected: "wal", asked: 1, warnings: [] },
  {
    title: "WAL file keeps WAL without a set pragma",
    mode: ["wal"],
    fresh: false,
    expected: "wal",
    asked: 0,
    warnings: [],
  },
  {
    title: "WAL file keeps WAL although delete is configured, and says so",
    configured: "delete",
    mode: ["wal"],
    fresh: false,
    expected: "wal",
    asked: 0,
    warnings: ["HERMES_STATE_JOURNAL_KEPT"],
  },
  { title: "delete as configured", configured: "delete", mode: ["delete"], expected: "delete", asked: 0, warnings: [] },
  {
    title: "a library with the WAL-reset bug enables nothing",
    version: BUGGY,
    mode: ["delete"],
    expected: "delete",
    asked: 0,
    warnings: ["HERMES_STATE_WAL_BUG"],
  },
  {
    title: "a library with the bug leaves a WAL file in WAL",
    version: BUGGY,
    mode: ["wal"],
    fresh: false,
    expected: "wal",
    asked: 0,
    warnings: ["HERMES_STATE_WAL_BUG"],
  },
  {
    title: "a mode that cannot be read is left alone and taken for WAL",
    mode: [ioError()],
    fresh: false,
    expected: "wal",
    asked: 0,
    warnings: [],
  },
  {
    title: "a mode that cannot be read is not switched to delete either",
    configured: "delete",
    mode: [ioError()],
    fresh: false,
    expected: "wal",
    asked: 0,
    warnings: [],
  },
  {
    title: "one I/O error on reading the mode decides nothing",
    mode: [ioError(), ioError(), "wal"],
    fresh: false,
    expected: "wal",
    asked: 0,
    warnings: [],
  },
  {
    title: "a mount shared with another kernel gets no WAL",
    crossVm: true,
    mode: ["delete"],
    expected: "delete",
    asked: 0,
    warnings: ["HERMES_STATE_WAL_REFUSED"],
  },
  {
    title: "a mount shared with another kernel keeps a WAL file in WAL",
    crossVm: true,
    mode: ["wal"],
    fresh: false,
    expected: "wal",
    asked: 0,
    warnings: [],
  },
  {
    title: "a file system that refuses without an error is believed",
    mode: ["delete"],
    enable: ["delete"],
    expected: "delete",
    asked: 1,
    warnings: ["HERMES_STATE_WAL_REFUSED"],
  },
  {
    title: "a locking protocol error means that WAL is not possible",
    mode: ["delete"],
    enable: [driverError("SQLITE_PROTOCOL", "locking protocol")],
    expected: "delete",
    asked: 1,
    warnings: ["HERMES_STATE_WAL_REFUSED"],
  },
  {
    title: "an I/O error is tried three times before the file keeps its journal",
    mode: ["delete"],
    enable: [ioError()],
    expected: "delete",
    asked: 3,
    warnings: ["HERMES_STATE_WAL_REFUSED"],
  },
  {
    title: "a single I/O error does not downgrade",
    mode: ["delete"],
    enable: [ioError(), "wal"],
    expected: "wal",
    asked: 2,
    warnings: [],
  },
  {
    title: "an I/O error on a file that turns out to be in WAL is raised, never a downgrade",
    mode: ["delete", "wal"],
    enable: [ioError()],
    expected: "throws",
    asked: 3,
    warnings: [],
  },
  {
    title: "any other error is raised",
    mode: ["delete"],
    enable: [driverError("SQLITE_BUSY", "database is locked")],
    expected: "throws",
    asked: 1,
    warnings: [],
  },
  {
    title: "an existing rollback file that someone may hold keeps its mode",
    mode: ["delete"],
    fresh: false,
    held: true,
    expected: "delete",
    asked: 0,
    warnings: [],
  },
  {
    title: "an existing rollback file that nobody holds gets WAL",
    mode: ["delete"],
    fresh: false,
    held: false,
    enable: ["wal"],
    expected: "wal",
    asked: 1,
    warnings: [],
  },
];

function answers(list: readonly Answer[]): () => string {
  let index = 0;
  return () => {
    const answer = list[Math.min(index++, list.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer ?? "";
  };
}

interface Outcome {
  readonly result: string;
  readonly pragmas: readonly string[];
  readonly warnings: readonly string[];
}

function run(row: Row): Outcome {
  const pragmas: string[] = [];
  const warnings: string[] = [];
  const mode = answers(row.mode);
  const enable = answers(row.enable ?? ["wal"]);
  let result: string;
  try {
    result = applyJournalPolicy({
      configured: row.configured ?? "wal",
      sqliteVersion: row.version ?? SOUND,
      fresh: row.fresh ?? true,
      mayBeHeld: () => row.held ?? false,
      isCrossVmMount: () => row.crossVm ?? false,
      pragma: (text) => {
        pragmas.push(text);
        return text === "journal_mode" ? mode() : enable();
      },
      sleep: () => undefined,
      warn: (code, message) => {
        warnings.push(code);
        if (code === "HERMES_STATE_WAL_BUG") {
          expect(message).toContain(row.version);
          expect(message).toContain(process.execPath);
        }
      },
    });
  } catch {
    result = "throws";
  }
  return { result, pragmas, warnings };
}

describe("journal policy", () => {
  it.each(ROWS)("COR-01 T24 $title", (row) => {
    const { result, pragmas, warnings } = run(row);
    expect(result).toBe(row.expected);
    expect(warnings).toEqual(row.warnings);
    const sets = pragmas.filter((text) => text !== "journal_mode");
    expect(sets).toEqual(Array.from({ length: row.asked }, () => "journal_mode=WAL"));
  });

  it("COR-01 T24 never issues a pragma that leaves WAL, whatever the file is and the caller asks for", () => {
    for (const row of ROWS) {
      for (const configured of ["wal", "delete"] as const) {
        const { pragmas } = run({ ...row, configured });
        expect(pragmas.filter((text) => /journal_mode\s*=\s*(?!wal)/i.test(text)), row.title).toEqual([]);
      }
    }
  });
});
