import { fileIdentity, sameFile } from "../files/file-identity.js";
import type { FileIdentity } from "../files/file-identity.js";
import { storeReplaced, walDeleted } from "../errors/write-errors.js";
import type { StateError } from "../errors/state-error.js";

/**
 * Remembers which life of a file a handle belongs to, and refuses once the path names another one (COR-11). It uses
 * stat only, a few microseconds a write.
 */
export class FileGuard {
  readonly identity: FileIdentity;
  readonly #path: string;
  readonly #watchesLog: boolean;
  #log: FileIdentity | undefined;
  #verdict: ((label: string) => StateError) | undefined;

  constructor(path: string, identity: FileIdentity, journalMode: string) {
    this.#path = path;
    this.identity = identity;
    this.#watchesLog = journalMode === "wal";
  }

  /**
   * @throws STATE_E_REPLACED or STATE_E_WAL_DELETED; sticky for this handle.
   */
  check(label: string): void {
    this.#verdict ??= this.#judge();
    if (this.#verdict) throw this.#verdict(label);
  }

  /** Records the log after a committed write: from then on it must stay as long as this handle is open. */
  remember(): void {
    if (this.#watchesLog && this.#log === undefined) this.#log = fileIdentity(`${this.#path}-wal`);
  }

  get broken(): boolean {
    return this.#verdict !== undefined;
  }

  #judge(): ((label: string) => StateError) | undefined {
    const now = fileIdentity(this.#path);
    if (!now) return (label) => storeReplaced(this.#path, label, "removed");
    if (!sameFile(now, this.identity)) return (label) => storeReplaced(this.#path, label, "replaced");
    if (this.#log) {
      const log = fileIdentity(`${this.#path}-wal`);
      if (!log || !sameFile(log, this.#log)) return (label) => walDeleted(this.#path, label);
    }
    return undefined;
  }
}
