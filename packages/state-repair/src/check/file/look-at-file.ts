import { accessSync, constants, statSync } from "node:fs";
import { canonicalPath, inspectFile, liveConnectionCount } from "@hermes/state-core";
import type { Clock, HeaderReport } from "@hermes/state-core";
import type { CheckFinding } from "../check-report.js";
import { messageOf } from "../engine-error.js";
import { finding } from "../findings.js";

/** What a path turns out to be before the engine sees it. */
export type FileLook =
  | { readonly kind: "missing" }
  /** No byte yet: the first write makes a store of it. */
  | { readonly kind: "new" }
  /** `known`: its bytes are the reason, so that it counts as damaged; otherwise nothing is known about it. */
  | { readonly kind: "refused"; readonly known: boolean; readonly finding: CheckFinding }
  | { readonly kind: "database"; readonly path: string };

/** Judges a path by stat and header alone. Nothing is created, and nothing is opened that this process has open. */
export function lookAtFile(path: string, clock: Clock): FileLook {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: "missing" };
    if (!stat.isFile()) return refused("not-a-file", path, "This is no regular file.");
    const real = canonicalPath(path);
    // What this process has open is a database, and reading it raw would drop the locks on it (COR-07).
    if (liveConnectionCount(real) > 0) return { kind: "database", path: real };
    accessSync(real, constants.R_OK);
    return judge(path, real, inspectFile(real, clock));
  } catch (error) {
    return refused("not-accessible", path, `The file cannot be read: ${messageOf(error)}.`);
  }
}

function judge(path: string, real: string, header: HeaderReport): FileLook {
  const size = `${header.bytes} bytes`;
  switch (header.kind) {
    case "missing":
      return { kind: "missing" };
    case "empty":
      return { kind: "new" };
    case "database":
      return { kind: "database", path: real };
    case "zeroed":
      return damaged("zeroed", path, `The file begins with zero bytes only (${size}), as after a lost write.`);
    case "foreign":
      return damaged("foreign", path, `This is no SQLite database (${size}).`);
    case "truncated":
      return damaged("truncated", path, `The file is cut short: ${size}${promised(header)}.`);
  }
}

function promised({ bytes, expectedBytes }: HeaderReport): string {
  if (expectedBytes !== undefined) return ` of ${expectedBytes}`;
  return bytes === 0 ? ", beside a log that holds pages" : "";
}

function damaged(code: "zeroed" | "foreign" | "truncated", path: string, detail: string): FileLook {
  return { kind: "refused", known: true, finding: finding(code, path, detail) };
}

function refused(code: "not-a-file" | "not-accessible", path: string, detail: string): FileLook {
  return { kind: "refused", known: false, finding: finding(code, path, detail) };
}
