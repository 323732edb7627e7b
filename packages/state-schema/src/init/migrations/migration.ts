import type { SqliteCapabilities } from "../../fts/capabilities.js";
import type { SchemaHost } from "../../sql/handles.js";
import type { InitializeOptions } from "../initialize-options.js";

/** What a data migration works with. */
export interface MigrationContext {
  readonly host: SchemaHost;
  readonly capabilities: SqliteCapabilities;
  readonly options: InitializeOptions;
}

/**
 * One data migration. It changes rows in its own transactions, can be run again, and raises the version stamp to its
 * gate in the transaction that completes it.
 */
export interface Migration {
  /** Files stamped lower than this need it. */
  readonly gate: number;
  readonly about: string;
  /** @returns False when it cannot be completed now, for a reason that is not an error. */
  readonly run: (context: MigrationContext) => boolean;
}
