import type { RoutingEntry } from "@hermes/gateway-session";
import { SessionEntry } from "../session/session-entry.js";
import type { SessionStoreOptions } from "./session-store-options.js";
import { openParts } from "./session-store-parts.js";
import type { SessionStoreParts } from "./session-store-parts.js";

/** Opening and closing of the old session store. */
export abstract class SessionStoreBase implements AsyncDisposable {
  readonly #opened: Promise<SessionStoreParts>;
  #closed: Promise<void> | undefined;

  /** Opens at once; what opening throws, every call rejects with. */
  constructor(options: SessionStoreOptions = {}) {
    this.#opened = openParts(options);
    // Whoever calls a method is told; until then nobody has to be.
    this.#opened.catch(() => undefined);
  }

  /** Stores what waits, puts the rest on disk and closes the database. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The open parts. @throws What opening throws. */
  protected parts(): Promise<SessionStoreParts> {
    return this.#opened;
  }

  /** An entry as the old store gave it out; null for none. */
  protected entryOf(entry: RoutingEntry | null | undefined): SessionEntry | null {
    return entry ? new SessionEntry(entry) : null;
  }

  async #close(): Promise<void> {
    const parts = await this.#opened.catch(() => undefined);
    if (!parts) return;
    try {
      await parts.writer.close();
      await parts.router.close();
    } finally {
      parts.store.close();
    }
  }
}
