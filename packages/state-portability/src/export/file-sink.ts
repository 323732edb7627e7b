import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { PRIVATE_MODE, StateError, syncFolder } from "@hermes/state-core";
import type { StoreContext } from "@hermes/state-core";
import type { Sink } from "./sink.js";
import { isStoreFile } from "../files/is-store-file.js";

/** How {@link fileSink} treats what is there already. */
export interface FileSinkOptions {
  /** Replace an existing file; false refuses it. */
  readonly overwrite?: boolean;
}

/**
 * A sink that writes a new file beside its target, readable by the owner only (COR-13), and moves it into place when
 * the export is whole and on disk: a failed export leaves the old file, or none.
 *
 * @param store - The store being exported; its own files are never a target.
 * @throws STATE_E_EXPORT_TARGET when the target is no plain file, exists without `overwrite`, belongs to the store, its
 * folder cannot be written to, or the disk is full.
 */
export function fileSink(store: StoreContext, path: string, options: FileSinkOptions = {}): Sink {
  const target = resolve(path);
  const overwrite = options.overwrite ?? false;
  checkTarget(store, target, overwrite);
  const draft = join(dirname(target), `.${basename(target)}.${store.random.hex(6)}.part`);
  const descriptor = attempt(target, () => openSync(draft, "wx", PRIVATE_MODE));
  let open = true;
  const close = (): void => {
    if (open) closeSync(descriptor);
    open = false;
  };
  return {
    write(chunk) {
      attempt(target, () => {
        for (let done = 0; done < chunk.length;) done += writeSync(descriptor, chunk, done, chunk.length - done);
      });
    },
    finish() {
      attempt(target, () => fsyncSync(descriptor));
      close();
      attempt(target, () => publish(draft, target, overwrite));
      attempt(target, () => syncFolder(dirname(target)));
    },
    abort() {
      close();
      rmSync(draft, { force: true });
    },
  };
}

function checkTarget(store: StoreContext, target: string, overwrite: boolean): void {
  const stat = statSync(target, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isDirectory()) throw refused(target, "is a folder", "Name a file inside it.");
  // A device or a pipe would be replaced by a file of its name.
  if (!stat.isFile()) throw refused(target, "is no plain file", "Write to standard output (-), or name a file.");
  if (isStoreFile(store.path, target)) {
    throw refused(target, "belongs to the store that is being exported", "Choose another file.");
  }
  if (!overwrite) throw refused(target, "exists already", "Choose another name, or allow overwriting it.");
}

const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV"]);

/**
 * Without `overwrite` a link is made instead of a rename, since only a link refuses a name that someone took meanwhile.
 */
function publish(draft: string, target: string, overwrite: boolean): void {
  if (!overwrite && linkInto(draft, target)) rmSync(draft);
  else renameSync(draft, target);
}

function linkInto(draft: string, target: string): boolean {
  try {
    linkSync(draft, target);
    return true;
  } catch (error) {
    // A file system without hard links: the name was free a moment ago, which is the best it can say.
    if (NO_LINKS.has((error as NodeJS.ErrnoException).code ?? "") && !statSync(target, { throwIfNoEntry: false }))
      return false;
    throw error;
  }
}

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

function attempt<T>(target: string, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code === "EEXIST")
      throw refused(target, "exists already", "Choose another name, or allow overwriting it.", error);
    if (FULL.has(code))
      throw refused(target, `does not fit (${code})`, "Free some space, or choose another disk.", error);
    const reason =
      code === "ENOENT" ? "lies in a folder that does not exist" : `cannot be written (${code || String(error)})`;
    throw refused(target, reason, "Create the folder, or choose one that you may write to.", error);
  }
}

function refused(path: string, reason: string, action: string, cause?: unknown): StateError {
  return new StateError(
    "STATE_E_EXPORT_TARGET",
    `The export target ${path} ${reason}. ${action}`,
    { path, reason },
    { cause },
  );
}
