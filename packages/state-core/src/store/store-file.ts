import { liveConnectionCount } from "../connection/live-connections.js";
import { readonlyStore, storeClosed } from "../errors/write-errors.js";
import { findHolders } from "../locking/find-holders.js";
import type { WriteExecutor } from "../writing/write-executor.js";
import type { StoreResources } from "./store-resources.js";

/** Who else has a store's file open. */
export interface OtherHolders {
  /** Connections of other handles of this process. */
  readonly connections: number;
  /** Ids of other processes; where the system cannot be asked, none are known. */
  readonly processes: readonly number[];
}

/** Work on a store's file as a whole, which no transaction can do. */
export class StoreFile {
  readonly #resources: StoreResources;

  constructor(resources: StoreResources) {
    this.#resources = resources;
  }

  /** Who has the file open beside this store. */
  otherHolders(): OtherHolders {
    const { pool, writer } = this.#resources;
    const own = pool.size + (writer ? 1 : 0);
    return {
      connections: liveConnectionCount(pool.path) - own,
      processes: findHolders(pool.path).holders.map((holder) => holder.pid),
    };
  }

  /** Rewrites the file without its free pages; the log is checkpointed PASSIVE before and after (COR-02). */
  vacuum(label: string): void {
    this.#executor(label).vacuum(label);
  }

  /**
   * Writes what the store holds into a file of its own.
   *
   * @param target - An empty file, or a name that is free.
   */
  copyTo(label: string, target: string): void {
    this.#executor(label).vacuumInto(label, target);
  }

  #executor(label: string): WriteExecutor {
    const { closed, pool, writer } = this.#resources;
    if (closed) throw storeClosed(pool.path, label);
    if (!writer) throw readonlyStore(pool.path, label);
    return writer.executor;
  }
}
