import { decodeEntry } from "../entry/decode-entry.js";
import { encodeEntry } from "../entry/encode-entry.js";
import type { RoutingEntry } from "../entry/routing-entry.js";
import type { SessionStoragePort, StoredRoute } from "../port/session-storage-port.js";
import { storedRoute } from "../port/stored-route.js";
import { KeyedQueue } from "./keyed-queue.js";
import type { PlannedStep } from "./route-step.js";
import { RouteTable } from "./route-table.js";
import type { GatewayWarning } from "./router-options.js";

/** A change that the storage could not take yet. `expected`: the session that its entry names there, null for none. */
interface Owed {
  readonly step: PlannedStep & { readonly entry: RoutingEntry };
  readonly expected: string | null;
}

/** What became of a step: the route as it stands now, and whether this step made it so. */
export interface Published {
  readonly applied: boolean;
  readonly entry: RoutingEntry | undefined;
}

/** What a keeper works with. */
export interface KeeperOptions {
  readonly port: SessionStoragePort;
  readonly scope: string;
  readonly warn: (warning: GatewayWarning) => void;
  /** Memory knows more than the storage. */
  readonly touched?: () => void;
  /** The conversation of a route that was never stored goes on in the one that was. */
  readonly moved: (sessionKey: string, from: string, to: string) => Promise<void>;
}

/**
 * The routes of a scope, in memory and in the storage: the only place that changes either. A step that moves a route is
 * compared and set by the session that the stored entry names; whoever comes second takes over what the first stored.
 */
export class RouteKeeper {
  readonly table: RouteTable;
  readonly queue: KeyedQueue = new KeyedQueue();
  readonly #options: KeeperOptions;
  readonly #owed = new Map<string, Owed>();
  readonly #touched = new Set<string>();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.table = new RouteTable((stored) => this.#read(stored));
  }

  /** Whether the storage knows where the route leads. */
  isDurable(sessionKey: string): boolean {
    return !this.#owed.has(sessionKey);
  }

  /**
   * Takes over every route of the scope; one that cannot be read is left out with a warning (GWS-02).
   *
   * @returns The keys whose session has ended meanwhile.
   */
  async loadAll(): Promise<readonly string[]> {
    const { port, scope } = this.#options;
    const routes = await port.loadRoutes(scope);
    for (const stored of routes) this.#load(stored);
    return routes.filter(({ ended }) => ended).map(({ sessionKey }) => sessionKey);
  }

  /** The route as it stands in memory, else as it is stored. */
  async find(sessionKey: string): Promise<RoutingEntry | undefined> {
    return this.table.get(sessionKey) ?? (await this.refresh(sessionKey));
  }

  /** Reads a route from the storage, over what memory has. */
  async refresh(sessionKey: string): Promise<RoutingEntry | undefined> {
    const stored = await this.#options.port.findRoute(this.#options.scope, sessionKey);
    return this.#adopt(sessionKey, stored);
  }

  /**
   * Takes one step.
   *
   * @param expected - The session that the stored entry names; null for none.
   */
  async publish(sessionKey: string, step: PlannedStep, expected: string | null): Promise<Published> {
    const { port, scope } = this.#options;
    const { entry, ...effects } = step;
    const json = entry && encodeEntry(entry);
    const request = { scope, sessionKey, expectedSessionId: expected, entry: json, ...effects };
    const { applied, stored } = await port.transition(request);
    this.#owed.delete(sessionKey);
    this.#touched.delete(sessionKey);
    if (!applied) return { applied, entry: this.#adopt(sessionKey, stored && storedRoute(sessionKey, stored)) };
    if (step.replacesKey !== undefined) this.table.delete(step.replacesKey);
    if (entry) this.table.set(entry);
    else this.table.delete(sessionKey);
    return { applied, entry: entry ?? undefined };
  }

  /**
   * Holds a step in memory alone until the storage can take it. Of several steps the last one counts; the session that
   * the first one left is the one that the storage knows.
   */
  owe(sessionKey: string, step: Owed["step"], expected: string | null): void {
    const owed = this.#owed.get(sessionKey);
    const leave = owed?.step.leave;
    this.#owed.set(sessionKey, {
      step: leave ? { ...step, leave } : step,
      expected: owed ? owed.expected : expected,
    });
    this.table.set(step.entry);
  }

  /** The route once the storage knows of it all that memory does; see {@link RouteKeeper.find}. */
  async settled(sessionKey: string): Promise<RoutingEntry | undefined> {
    if (this.#owed.has(sessionKey)) await this.#settle(sessionKey);
    return this.find(sessionKey);
  }

  /**
   * Stores a change that does not move the route; memory shows it afterwards.
   *
   * @returns The entry as it stands: another one when the route was moved elsewhere, undefined when it is gone.
   */
  async save(entry: RoutingEntry): Promise<RoutingEntry | undefined> {
    const { sessionKey, sessionId } = entry;
    const owed = this.#owed.get(sessionKey);
    if (owed) return (await this.publish(sessionKey, { ...owed.step, entry }, owed.expected)).entry;
    const { port, scope } = this.#options;
    if (!(await port.saveRoute(scope, sessionKey, encodeEntry(entry), sessionId))) return this.refresh(sessionKey);
    this.#touched.delete(sessionKey);
    this.table.set(entry);
    return entry;
  }

  /** Changes a route in memory; the storage learns of it with the next step or {@link RouteKeeper.flush}. */
  touch(entry: RoutingEntry): void {
    const owed = this.#owed.get(entry.sessionKey);
    if (owed) this.owe(entry.sessionKey, { ...owed.step, entry }, owed.expected);
    else this.#touched.add(entry.sessionKey);
    this.table.set(entry);
    this.#options.touched?.();
  }

  /** Stores what only memory knows. @returns The keys that it could not store. */
  async flush(): Promise<readonly string[]> {
    const keys = [...new Set([...this.#owed.keys(), ...this.#touched])];
    const failed: string[] = [];
    for (const key of keys) {
      await this.queue.run(key, async () => {
        try {
          await this.#settle(key);
        } catch (error) {
          failed.push(key);
          this.#options.warn({ kind: "unsaved", sessionKey: key, detail: String(error) });
        }
      });
    }
    return failed;
  }

  async #settle(sessionKey: string): Promise<void> {
    const entry = this.table.get(sessionKey);
    if (!entry) return;
    const wasOwed = this.#owed.has(sessionKey);
    const { sessionId: before } = entry;
    const after = (await this.save(entry))?.sessionId;
    if (wasOwed && after !== undefined && after !== before) await this.#options.moved(sessionKey, before, after);
  }

  #load(stored: StoredRoute): void {
    const { sessionKey, sessionId } = stored;
    if (sessionId === null) this.#options.warn({ kind: "bad-entry", sessionKey, detail: "it names no session" });
    else this.table.load(stored, sessionId);
  }

  #adopt(sessionKey: string, stored: StoredRoute | undefined): RoutingEntry | undefined {
    this.#touched.delete(sessionKey);
    this.table.delete(sessionKey);
    if (stored) this.#load(stored);
    return this.table.get(sessionKey);
  }

  #read({ sessionKey, entry, savedAtSeconds }: StoredRoute): RoutingEntry | undefined {
    const decoded = decodeEntry(sessionKey, entry, savedAtSeconds);
    if ("entry" in decoded) return decoded.entry;
    this.#options.warn({ kind: "bad-entry", sessionKey, detail: decoded.skipped });
    return undefined;
  }
}
