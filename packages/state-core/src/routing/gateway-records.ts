import { TABLES } from "@hermes/state-schema";
import { checkText } from "../codec/check-text.js";
import type { Maybe } from "../codec/maybe.js";
import { RowDecoder } from "../codec/row-decoder.js";
import { checkSeconds } from "../codec/seconds.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { StoreContext } from "../store/context.js";

/** A gateway that is running, as it introduces itself. */
export interface GatewayBackend {
  readonly backendId: string;
  /** Default: this process. */
  readonly pid?: number;
  /** REAL seconds. */
  readonly startedAtSeconds: number;
  readonly profile?: string;
  readonly host?: string;
}

/** A gateway as it was last seen. */
export interface GatewayHeartbeat {
  readonly backendId: Maybe<string>;
  readonly pid: Maybe<number>;
  readonly startedAtSeconds: Maybe<number>;
  readonly lastHeartbeatSeconds: Maybe<number>;
  readonly profile: Maybe<string>;
  readonly host: Maybe<string>;
  /** Keys whose cells could not be read as their type; they are undefined here. */
  readonly damaged: readonly string[];
}

const HEARTBEATS = new RowDecoder<GatewayHeartbeat>(TABLES.gateway_heartbeats);
const SELECT_HEARTBEATS = `
  SELECT ${HEARTBEATS.select("h")} FROM gateway_heartbeats AS h ORDER BY h.last_heartbeat DESC, h.backend_id`;
const BEAT = `
  INSERT INTO gateway_heartbeats (backend_id, pid, started_at, last_heartbeat, profile, host) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (backend_id) DO UPDATE SET pid = excluded.pid, started_at = excluded.started_at,
    last_heartbeat = excluded.last_heartbeat, profile = excluded.profile, host = excluded.host`;
const STOP = "DELETE FROM gateway_heartbeats WHERE backend_id = ?";

const SELECT_GENERATION = "SELECT generation FROM conversation_generations WHERE source = ? AND session_key = ?";

const SELECT_STREAK = "SELECT failure_streak AS streak FROM gateway_hygiene_state WHERE session_key = ?";
const COUNT_FAILURE = `
  INSERT INTO gateway_hygiene_state (session_key, failure_streak) VALUES (?, 1)
  ON CONFLICT (session_key) DO UPDATE SET failure_streak = failure_streak + 1`;
const CLEAR_STREAK = "DELETE FROM gateway_hygiene_state WHERE session_key = ?";

/** What gateways write down about themselves and their peers, beside routes. */
export abstract class GatewayRecords {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * How often the conversation of a peer began anew; 0 for never. It only ever counts up, and no row of it is deleted:
   * what was made for an old conversation must not fit a new one.
   */
  generation(source: string, sessionKey: string): number {
    const row = this.#context.read((r) => r.get<{ generation: number }>(SELECT_GENERATION, [source, sessionKey]));
    return row?.generation ?? 0;
  }

  /** Says that a gateway is running. It may be dropped when the file stays busy for half a second. */
  beat(backend: GatewayBackend): void {
    const what = "routing.beat";
    checkKnownOptions(what, backend, ["backendId", "pid", "startedAtSeconds", "profile", "host"]);
    const { backendId, pid = process.pid, profile = "", host = "" } = backend;
    checkText(`${what}: backendId`, backendId);
    if (!Number.isSafeInteger(pid)) throw new TypeError(`${what}: pid must be a whole number.`);
    if (typeof profile !== "string") throw new TypeError(`${what}: profile must be a string.`);
    if (typeof host !== "string") throw new TypeError(`${what}: host must be a string.`);
    const started = checkSeconds(`${what}: startedAtSeconds`, backend.startedAtSeconds);
    const params = [backendId, pid, started, this.#context.clock.now(), profile, host];
    this.#context.write("record a gateway", (w) => w.run(BEAT, params), "activity");
  }

  /** Says that a gateway has ended. @returns Whether it was recorded as running. */
  endBeat(backendId: string): boolean {
    return this.#context.write("end a gateway", (w) => w.run(STOP, [backendId]).changes > 0);
  }

  /** Every gateway that did not say that it ended, the last seen first. */
  heartbeats(): readonly GatewayHeartbeat[] {
    return this.#context.read((r) => r.tuples(SELECT_HEARTBEATS).map((cells) => HEARTBEATS.decode(cells)));
  }

  /** How often in a row the housekeeping of a peer's conversation has failed. */
  hygieneFailures(sessionKey: string): number {
    return this.#context.read((r) => r.get<{ streak: number }>(SELECT_STREAK, [sessionKey]))?.streak ?? 0;
  }

  /** @returns The failures in a row, this one among them. */
  countHygieneFailure(sessionKey: string): number {
    checkText("routing.countHygieneFailure: the key", sessionKey);
    return this.#context.write("count a failure", (w) => {
      w.run(COUNT_FAILURE, [sessionKey]);
      return w.get<{ streak: number }>(SELECT_STREAK, [sessionKey])?.streak ?? 1;
    });
  }

  /** Ends a streak. @returns Whether there was one. */
  clearHygieneFailures(sessionKey: string): boolean {
    return this.#context.write("clear failures", (w) => w.run(CLEAR_STREAK, [sessionKey]).changes > 0);
  }
}
