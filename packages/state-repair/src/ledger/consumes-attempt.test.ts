import { StateError } from "@hermes/state-core";
import { expect, it } from "vitest";
import { consumesAttempt } from "./consumes-attempt.js";

const engine = (code: string, text = ""): Error => Object.assign(new Error(text), { code });
const state = (code: `STATE_E_${string}`, cause?: unknown): StateError => new StateError(code, code, {}, { cause });

it.each([
  ["SQLITE_CORRUPT", engine("SQLITE_CORRUPT"), true],
  ["SQLITE_CORRUPT_VTAB, whose primary code is the same", engine("SQLITE_CORRUPT_VTAB"), true],
  ["SQLITE_NOTADB", engine("SQLITE_NOTADB"), true],
  ["the text alone", new Error("database disk image is malformed"), true],
  ["the other text alone", new Error("file is not a database"), true],
  ["our own code", state("STATE_E_CORRUPT"), true],
  ["our own code for a foreign file", state("STATE_E_NOT_A_DATABASE"), true],
  ["a wrapped engine error", state("STATE_E_UNKNOWN", engine("SQLITE_CORRUPT")), true],
  ["a lock", engine("SQLITE_BUSY", "database is locked"), false],
  ["a lock that speaks of damage", engine("SQLITE_BUSY", "database disk image is malformed"), false],
  ["a full volume", engine("SQLITE_FULL"), false],
  ["a read-only file", engine("SQLITE_READONLY"), false],
  ["a failed read", engine("SQLITE_IOERR_READ"), false],
  ["a file that cannot be opened", engine("SQLITE_CANTOPEN"), false],
  ["a full volume of the system", engine("ENOSPC"), false],
  ["any other error", new Error("boom"), false],
  ["text that was not thrown as an error", "database disk image is malformed", false],
  ["nothing", undefined, false],
])("REP-04 an attempt is spent by damage only: %s", (_, error, spent) => {
  expect(consumesAttempt(error)).toBe(spent);
});
