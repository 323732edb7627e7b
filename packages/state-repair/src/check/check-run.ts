import { probeCapabilities } from "@hermes/state-schema";
import type { Reader, SqliteCapabilities } from "@hermes/state-schema";
import type { CheckFinding, CheckLevel, CheckOutcome } from "./check-report.js";

/** A check that is under way: what it looks through, and what it has found so far. */
export class CheckRun {
  readonly r: Reader;
  readonly level: CheckLevel;
  readonly #findings: CheckFinding[] = [];
  readonly #checked: string[] = [];
  readonly #notChecked: string[] = [];
  #decided = true;
  #capabilities: SqliteCapabilities | undefined;

  constructor(r: Reader, level: CheckLevel) {
    this.r = r;
    this.level = level;
  }

  /** What the linked library can do; asked when the schema is known to be readable. */
  get capabilities(): SqliteCapabilities {
    return (this.#capabilities ??= probeCapabilities(this.r));
  }

  /** What has been found so far. */
  get findings(): readonly CheckFinding[] {
    return this.#findings;
  }

  add(...findings: readonly CheckFinding[]): void {
    for (const found of findings) {
      const known = ({ code, object, detail }: CheckFinding): boolean =>
        code === found.code && object === found.object && detail === found.detail;
      if (!this.#findings.some(known)) this.#findings.push(found);
    }
  }

  /** Says that something was looked at. */
  saw(what: string): void {
    this.#checked.push(what);
  }

  /** Says that this level, or this file, leaves something out. */
  left(what: string): void {
    this.#notChecked.push(what);
  }

  /** Says that something could not be looked at although this level would: without it, the file is not healthy. */
  missed(what: string): void {
    this.#notChecked.push(what);
    this.#decided = false;
  }

  outcome(): CheckOutcome {
    const damaged = this.#findings.some(({ severity }) => severity === "damage");
    return {
      verdict: damaged ? "damaged" : this.#decided ? "healthy" : "unknown",
      level: this.level,
      findings: [...this.#findings],
      checked: [...this.#checked],
      notChecked: [...this.#notChecked],
    };
  }
}
