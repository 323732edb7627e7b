import type { SchemaHost } from "@hermes/state-schema";
import { isCapabilityError, isEngineBusy } from "../errors/classify-persistence-error.js";
import { isStateError } from "../errors/state-error.js";
import { admitRebuild } from "../locking/admit-rebuild.js";
import type { ResolvedOptions } from "../store/open-options.js";
import type { WriteExecutor } from "../writing/write-executor.js";
import type { Connection } from "./connection.js";

/** Lets schema work run through the store's own executor, so that no second way to write exists. */
export function schemaHost(connection: Connection, executor: WriteExecutor, options: ResolvedOptions): SchemaHost {
  return {
    all: (sql, params) => connection.all(sql, params),
    get: (sql, params) => connection.get(sql, params),
    tuples: (sql, params) => connection.tuples(sql, params),
    transaction: (label, fn) => executor.write(label, fn),
    withoutForeignKeys(fn) {
      connection.pragma("foreign_keys=OFF");
      try {
        return fn();
      } finally {
        connection.pragma("foreign_keys=ON");
      }
    },
    isBusy: (error) => isStateError(error, "STATE_E_BUSY") || isEngineBusy(error),
    isCapabilityError: (error) =>
      isCapabilityError(error instanceof Error && isStateError(error) ? error.cause : error),
    admitRebuild: () => admitRebuild({ path: connection.path, clock: options.clock }),
    now: () => options.clock.now(),
    randomHex: (count) => options.random.hex(count),
  };
}
