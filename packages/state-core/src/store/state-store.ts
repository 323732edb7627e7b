import { detectFtsLayout, readSchemaVersion } from "@hermes/state-schema";
import type { Reader, Writer } from "@hermes/state-schema";
import type { Clock } from "../clock/clock.js";
import type { Random } from "../clock/random.js";
import { Compaction } from "../compaction/compaction.js";
import { warnOnce } from "../config/warn-once.js";
import { Delegations } from "../delegations/delegations.js";
import { toStateError } from "../errors/to-state-error.js";
import { readonlyStore, storeClosed } from "../errors/write-errors.js";
import type { FileIdentity } from "../files/file-identity.js";
import { Handoff } from "../handoff/handoff.js";
import { Leases } from "../leases/leases.js";
import { Lineage } from "../lineage/lineage.js";
import { Messages } from "../messages/messages.js";
import { Meta } from "../meta/meta.js";
import { RoutingTable } from "../routing/routing-table.js";
import { Retention } from "../retention/retention.js";
import { Sessions } from "../sessions/sessions.js";
import { Titles } from "../titles/titles.js";
import { Topics } from "../topics/topics.js";
import { Usage } from "../usage/usage.js";
import type { PatienceClass, StoreContext } from "./context.js";
import { generationToken } from "./generation-token.js";
import { StoreFile } from "./store-file.js";
import type { OtherHolders } from "./store-file.js";
import type { StoreInfo } from "./store-info.js";
import type { StoreResources } from "./store-resources.js";

/** Closes what a forgotten store left open when it is collected. A safety net: close stores yourself. */
const forgotten = new FinalizationRegistry<StoreResources>((resources) => {
  if (resources.closed) return;
  warnOnce(
    "HERMES_STATE_NOT_CLOSED",
    resources.pool.path,
    `The store ${resources.pool.path} was dropped without close().`,
  );
  resources.close();
});

/** What does not change over the life of a handle. */
export interface StoreFacts {
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly sqliteVersion: string;
  readonly journalMode: string;
  readonly staleSchema: boolean;
  readonly capabilities: StoreInfo["capabilities"];
  readonly identity: FileIdentity;
}

/**
 * One open store: its parts, and the two ways to the database they share.
 *
 * Parts hold their store, so a store lives as long as any part of it is used.
 */
export class StateStore implements StoreContext, Disposable {
  readonly path: string;
  readonly readonly: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly sessions: Sessions;
  readonly messages: Messages;
  readonly titles: Titles;
  readonly lineage: Lineage;
  readonly usage: Usage;
  readonly routing: RoutingTable;
  readonly handoff: Handoff;
  readonly delegations: Delegations;
  readonly topics: Topics;
  readonly compaction: Compaction;
  readonly leases: Leases;
  readonly retention: Retention;
  readonly meta: Meta;
  readonly #facts: StoreFacts;
  readonly #resources: StoreResources;
  readonly #file: StoreFile;

  /** Use {@link openStateStore}. */
  constructor(facts: StoreFacts, resources: StoreResources) {
    this.path = facts.path;
    this.clock = facts.clock;
    this.random = facts.random;
    this.readonly = resources.writer === undefined;
    this.#facts = facts;
    this.#resources = resources;
    this.sessions = new Sessions(this);
    this.messages = new Messages(this);
    this.titles = new Titles(this);
    this.lineage = new Lineage(this);
    this.usage = new Usage(this, resources.usage);
    this.routing = new RoutingTable(this);
    this.handoff = new Handoff(this);
    this.delegations = new Delegations(this);
    this.topics = new Topics(this);
    this.compaction = new Compaction(this);
    this.leases = new Leases(this);
    this.#file = new StoreFile(resources);
    this.retention = new Retention(this, this.#file);
    this.meta = new Meta(this);
    forgotten.register(this, resources, this);
  }

  /** The life of the file this handle belongs to. */
  get identity(): FileIdentity {
    return this.#facts.identity;
  }

  /** What is known about the store now: versions, index layout, journal mode, identity. */
  info(): StoreInfo {
    const { path, sqliteVersion, journalMode, staleSchema, capabilities, identity } = this.#facts;
    return this.read((r) => ({
      path,
      readonly: this.readonly,
      sqliteVersion,
      schemaVersion: readSchemaVersion(r),
      ftsLayout: detectFtsLayout(r),
      capabilities,
      journalMode,
      staleSchema,
      generation: { ...identity, token: generationToken(r) },
    }));
  }

  /** True once this handle has seen damage or a replaced file: it writes no more. */
  get quarantined(): boolean {
    return this.#resources.writer?.executor.quarantined ?? false;
  }

  /** Who else has the file open, as far as the system tells (SEA-10). */
  otherHolders(): OtherHolders {
    return this.#file.otherHolders();
  }

  /** See {@link StoreContext.read}. */
  read<T>(fn: (r: Reader) => T): T {
    if (this.#resources.closed) throw storeClosed(this.path, "read");
    try {
      return this.#resources.pool.use(fn);
    } catch (error) {
      throw toStateError(error, "read", this.path);
    }
  }

  /** See {@link StoreContext.write}. */
  write<T>(label: string, fn: (w: Writer) => T, patience?: PatienceClass): T {
    if (this.#resources.closed) throw storeClosed(this.path, label);
    const { writer } = this.#resources;
    if (!writer) throw readonlyStore(this.path, label);
    return writer.executor.write(label, fn, patience);
  }

  /** See {@link StoreContext.settleUsage}. */
  settleUsage(before: "read" | "write"): void {
    if (before === "read") this.#resources.usage?.settleForRead();
    else this.#resources.usage?.settleForWrite();
  }

  /** Closes everything the store opened. Idempotent; any use afterwards is a typed error. */
  close(): void {
    forgotten.unregister(this);
    this.#resources.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
