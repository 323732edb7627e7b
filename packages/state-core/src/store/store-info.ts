import type { FtsLayout } from "@hermes/state-schema";

/** What is known about an open store. A snapshot: take it again to see changes. */
export interface StoreInfo {
  readonly path: string;
  readonly readonly: boolean;
  readonly sqliteVersion: string;
  /** The file's `schema_version`, which may be higher than this package knows. */
  readonly schemaVersion: number | undefined;
  readonly ftsLayout: FtsLayout;
  /** What the linked SQLite can do. */
  readonly capabilities: { readonly fts5: boolean; readonly trigram: boolean };
  /** The journal mode in effect. */
  readonly journalMode: string;
  /** The file is older than this package and was opened read-only: columns it lacks read as their defaults. */
  readonly staleSchema: boolean;
  /** Identity of this life of the file: device, inode and the file's own generation token, if it has one. */
  readonly generation: { readonly device: number; readonly inode: number; readonly token: string | undefined };
}
