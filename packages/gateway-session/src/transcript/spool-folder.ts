import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isStateError, SPOOL_NAME, syncFolder } from "@hermes/state-core";
import type { Clock, Random } from "@hermes/state-core";
import { writeDurably } from "./durable-file.js";
import { isDraftName, isSpoolName, lockedBy, ownerOf, spoolName } from "./spool-names.js";
import { SpoolOwner, withDeadOwner } from "./spool-owner.js";
import { decodeSpooled, encodeSpooled } from "./spooled-message.js";
import type { SpooledHead, SpooledText } from "./spooled-message.js";
import { badSpoolFile, spoolFailed } from "./transcript-errors.js";
import { traceStep } from "./trace-step.js";

const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const TOKEN_BYTES = 8;

/** A message that was left over, now in a file of this writer. */
export interface ClaimedMessage {
  readonly file: string;
  readonly head: SpooledHead;
}

/** What a look for left-over messages found. */
export interface ClaimReport {
  /** In the order they came in: by time, number, and the name they had. */
  readonly claimed: readonly ClaimedMessage[];
  /** One for each file that was set aside. */
  readonly setAside: readonly Error[];
}

/** What may be in a folder that a writer shares with the peer and with other writers. */
interface LeftOver extends ClaimedMessage {
  readonly name: string;
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function byArrival(a: LeftOver, b: LeftOver): number {
  const [one, other] = [a.head, b.head];
  return one.ts - other.ts || one.seq - other.seq || (a.name < b.name ? -1 : 1);
}

/**
 * The folder of messages that no store could take (7.11): one file for each, private, written whole. Files are claimed
 * by renaming them to a name of this writer, so of two who want one exactly one gets it.
 */
export class SpoolFolder {
  readonly path: string;
  readonly #clock: Clock;
  readonly #random: Random;
  #owner: SpoolOwner | undefined;
  #count = 0;

  constructor(path: string, clock: Clock, random: Random) {
    this.path = path;
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Puts a message on disk.
   *
   * @returns The name of its file.
   * @throws StateError `STATE_E_SPOOL_FAILED`; then nothing has its name.
   */
  write(spooled: SpooledText): string {
    return this.#doing("keep a message", () => {
      const name = this.#nextName();
      writeDurably(join(this.path, name), encodeSpooled(spooled));
      return name;
    });
  }

  /** The text of a file of ours; undefined when somebody took it away. */
  read(name: string): string | undefined {
    return this.#doing("read a message", () => this.#text(name));
  }

  /** Forgets a message that is stored. */
  remove(name: string): void {
    this.#doing("remove a stored message", () => {
      traceStep("unspooling", name);
      rmSync(join(this.path, name), { force: true });
      traceStep("unspooled", name);
    });
  }

  /** Keeps a message that no store takes under a name that is never read again. @returns That path. */
  setAside(name: string): string {
    return this.#doing("set a message aside", () => {
      const path = join(this.path, name);
      let target = path + SPOOL_NAME.setAside;
      for (let n = 2; existsSync(target); n++) target = `${path}.${n}${SPOOL_NAME.setAside}`;
      renameSync(path, target);
      syncFolder(this.path);
      traceStep("set-aside", target);
      return target;
    });
  }

  /**
   * Takes over what was left over: messages of writers that ended, and of the peer. What lives, what is no message and
   * what was set aside before stays as it is.
   *
   * @throws StateError `STATE_E_SPOOL_FAILED` when the folder cannot be read.
   */
  claim(): ClaimReport {
    return this.#doing("look for messages", () => {
      const left: LeftOver[] = [];
      const setAside: Error[] = [];
      for (const [token, names] of this.#othersByOwner()) {
        const take = (): void => names.forEach((name) => this.#claimOne(name, left, setAside));
        if (token === undefined) take();
        else withDeadOwner(this.path, token, this.#clock, take);
      }
      return { claimed: left.sort(byArrival), setAside };
    });
  }

  /** Gives up the name of this writer; its files are left over from now on. */
  release(): void {
    this.#owner?.release();
    this.#owner = undefined;
  }

  #othersByOwner(): ReadonlyMap<string | undefined, readonly string[]> {
    const groups = new Map<string | undefined, string[]>();
    if (!existsSync(this.path)) return groups;
    for (const name of readdirSync(this.path).sort()) {
      const token = ownerOf(name) ?? lockedBy(name);
      if (token === this.#owner?.token && token !== undefined) continue;
      const isMessage = isSpoolName(name) || isDraftName(name);
      if (!isMessage && lockedBy(name) === undefined) continue;
      const group = groups.get(token) ?? [];
      if (isMessage) group.push(name);
      groups.set(token, group);
    }
    return groups;
  }

  #claimOne(name: string, left: LeftOver[], setAside: Error[]): void {
    const path = join(this.path, name);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return;
    if (isDraftName(name)) {
      // Nobody was told that this message is kept.
      rmSync(path, { force: true });
      return;
    }
    const text = this.#text(name);
    if (text === undefined) return;
    const file = decodeSpooled(text);
    if (file.kind === "foreign") return;
    try {
      if (file.kind === "message") left.push({ name, file: this.#rename(name), head: file.spooled.head });
      else setAside.push(badSpoolFile(this.setAside(name), file.kind === "torn" ? "is cut short" : "holds no message"));
    } catch (error) {
      // Another writer was faster.
      if (!isGone(error) && !isGone((error as Error).cause)) throw error;
    }
  }

  #rename(name: string): string {
    const own = this.#nextName();
    renameSync(join(this.path, name), join(this.path, own));
    traceStep("claimed", own);
    return own;
  }

  #text(name: string): string | undefined {
    try {
      return readFileSync(join(this.path, name), "utf8");
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  #nextName(): string {
    this.#owner ??= this.#settle();
    this.#owner.hold();
    this.#count += 1;
    return spoolName(this.#owner.token, this.#count);
  }

  /** The folder is made when it is needed first: a gateway whose store is healthy leaves no trace. */
  #settle(): SpoolOwner {
    if (!existsSync(this.path)) {
      mkdirSync(this.path, { recursive: true, mode: PRIVATE_FOLDER });
      syncFolder(dirname(this.path));
    } else {
      const stat = lstatSync(this.path);
      const open = stat.isDirectory() && (stat.mode & OTHERS) !== 0;
      if (open && process.platform !== "win32") chmodSync(this.path, PRIVATE_FOLDER);
    }
    return new SpoolOwner(this.path, this.#freeToken(), this.#clock);
  }

  /** Randomness may be a test's own: a name that was used before is not taken again. */
  #freeToken(): string {
    const names = readdirSync(this.path);
    for (;;) {
      const token = this.#random.hex(TOKEN_BYTES);
      if (!names.some((name) => name.includes(token))) return token;
    }
  }

  #doing<T>(doing: string, fn: () => T): T {
    try {
      return fn();
    } catch (error) {
      throw isStateError(error) ? error : spoolFailed(this.path, doing, error);
    }
  }
}
