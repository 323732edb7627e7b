import { statSync } from "node:fs";
import type { Stats } from "node:fs";
import type { Reader } from "@hermes/state-schema";
import type { Clock } from "../clock/clock.js";
import type { LogCounts, LogState } from "../connection/log-state.js";
import { CHECKPOINT_FRAMES } from "../connection/pragmas.js";
import { storeReplaced, walDeleted } from "../errors/write-errors.js";
import type { StateError } from "../errors/state-error.js";
import { fileIdentity, sameFile } from "../files/file-identity.js";
import { generationToken } from "../store/generation-token.js";
import type { FileIdentity } from "../files/file-identity.js";

/** How long a checkpoint of another process may be seen half done. */
const CHECKPOINT_WAIT_MS = 10_000;
const POLL_MS = 20;

/** What a guard watches with. */
export interface GuardParts {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly clock: Clock;
  /** The log of a store in WAL mode; undefined for a rollback journal, where any commit changes the file. */
  readonly log: LogState | undefined;
}

type Verdict = (label: string) => StateError;

function lookAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** Size and time of the last change. */
function stampOf(stat: Stats | undefined): string {
  return stat ? `${String(stat.size)}:${String(stat.mtimeMs)}` : "none";
}

/** A new life of the log begins with no frame in the main file. */
function startedOver(before: LogCounts, now: LogCounts): boolean {
  return now.log < before.log || now.checkpointed < before.checkpointed;
}

/** Undefined without a token, and where the content is no store any more. */
function readToken(r: Reader): string | undefined {
  try {
    return generationToken(r);
  } catch {
    // Another database stands there: that it has no such table is the answer.
    return undefined;
  }
}

/**
 * Remembers which life of a file a handle belongs to, and refuses once the path names another one, or once somebody
 * wrote other content over it (COR-11). A write costs it two calls of stat.
 */
export class FileGuard {
  readonly identity: FileIdentity;
  readonly #parts: GuardParts;
  #token: string | undefined;
  #logFile: FileIdentity | undefined;
  #stamp: string;
  #counts: LogCounts | undefined;
  #salts: string | undefined;
  #verdict: Verdict | undefined;

  constructor(parts: GuardParts) {
    this.#parts = parts;
    this.identity = parts.identity;
    this.#stamp = stampOf(lookAt(parts.path));
    this.remember();
  }

  /** Takes the generation token that the file carries once its schema stands. */
  adoptToken(r: Reader): void {
    this.#token = readToken(r);
  }

  /** @throws STATE_E_REPLACED or STATE_E_WAL_DELETED; sticky for this handle. */
  check(label: string): void {
    this.#verdict ??= this.#judge();
    if (this.#verdict) throw this.#verdict(label);
  }

  /**
   * Checks inside the transaction that the content is still the one that was opened. Only a rollback journal needs it:
   * there the engine reads what stands in the file now.
   *
   * @throws STATE_E_REPLACED
   */
  confirm(r: Reader, label: string): void {
    if (this.#parts.log || this.#token === undefined || readToken(r) === this.#token) return;
    this.#verdict = this.#replaced("replaced");
    throw this.#verdict(label);
  }

  /** Records the file and its log after a committed write: what this handle did itself needs no explanation later. */
  remember(): void {
    const { log, path } = this.#parts;
    if (!log) return;
    this.#logFile ??= fileIdentity(`${path}-wal`);
    const counts = log.counts();
    const before = this.#counts;
    const tried = counts.log >= CHECKPOINT_FRAMES;
    const same = before && !tried && before.checkpointed === counts.checkpointed && !startedOver(before, counts);
    // Only a checkpoint changes the main file; within one life of the log it shows in the counts, unless it failed half
    // way: a commit that leaves a long log has tried one. The salts and the look at the file are taken together: one
    // alone would make a life that passed unseen look like a copy.
    if (!same || !this.#salts) {
      this.#salts = log.salts();
      this.#stamp = stampOf(lookAt(path));
    }
    this.#counts = counts;
  }

  /** Records the file after something of this handle has failed that may have changed it without a trace. */
  acknowledge(): void {
    this.#counts = undefined;
    this.remember();
  }

  get broken(): boolean {
    return this.#verdict !== undefined;
  }

  #judge(): Verdict | undefined {
    const { path } = this.#parts;
    const now = lookAt(path);
    if (!now) return this.#replaced("removed");
    if (!sameFile({ device: now.dev, inode: now.ino }, this.identity)) return this.#replaced("replaced");
    if (this.#logFile) {
      const log = fileIdentity(`${path}-wal`);
      if (!log || !sameFile(log, this.#logFile)) return (label) => walDeleted(path, label);
    }
    return this.#isExplained(stampOf(now)) ? undefined : this.#replaced("replaced");
  }

  /**
   * In WAL mode the main file changes only when pages are moved into it from the log. A change without one is
   * somebody's copy over the file; a checkpoint that is seen half done leaves its mark when it ends.
   */
  #isExplained(stamp: string): boolean {
    const { log, clock } = this.#parts;
    if (!log || stamp === this.#stamp) return true;
    const deadline = clock.monotonicMs() + CHECKPOINT_WAIT_MS;
    while (!this.#wasCheckpointed(log)) {
      if (clock.monotonicMs() >= deadline) return false;
      clock.sleep(POLL_MS);
    }
    // Whatever explained it is the new ground: everything is read anew.
    this.#counts = undefined;
    this.remember();
    return true;
  }

  #wasCheckpointed(log: LogState): boolean {
    const before = this.#counts;
    const now = log.counts();
    return before?.checkpointed !== now.checkpointed || startedOver(before, now) || log.salts() !== this.#salts;
  }

  #replaced(what: "replaced" | "removed"): Verdict {
    return (label) => storeReplaced(this.#parts.path, label, what);
  }
}
