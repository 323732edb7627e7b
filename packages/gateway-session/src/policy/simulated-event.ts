import { checkKnownOptions, checkSeconds } from "@hermes/state-core";

/** What may happen to a route, for {@link simulateReset}. */
export type SimulatedEvent = { readonly atSeconds: number } & (
  | {
      /**
       * `message`: the peer talks. `internal`: the gateway itself has something to say there; no activity. `lookup`:
       * somebody asks where the peer talks. `turn_begins`: the agent works. `suspend`, `resume_mark`: as a router does.
       */
      readonly kind: "message" | "internal" | "lookup" | "turn_begins" | "suspend" | "resume_mark";
    }
  | { readonly kind: "turn_ends"; /** False for a turn that failed. Default true. */ readonly ok?: boolean }
  /** Work in the background; it goes on over a restart. */
  | { readonly kind: "work_begins" | "work_ends"; /** Default "work". */ readonly id?: string }
  | { readonly kind: "restart"; /** Whether the gateway stopped by itself, after its turns. */ readonly clean: boolean }
);

type Kind = SimulatedEvent["kind"];

const KEYS: { readonly [K in Kind]: readonly string[] } = {
  message: [],
  internal: [],
  lookup: [],
  turn_begins: [],
  turn_ends: ["ok"],
  suspend: [],
  resume_mark: [],
  work_begins: ["id"],
  work_ends: ["id"],
  restart: ["clean"],
};

/**
 * Checks one event of a simulation.
 *
 * @throws TypeError for an unknown kind or key. StateError `STATE_E_BAD_TIMESTAMP` for an absurd moment.
 */
export function checkSimulatedEvent(event: SimulatedEvent, index: number): void {
  const what = `simulateReset: event ${String(index)}`;
  const kind: unknown = event.kind;
  if (typeof kind !== "string" || !Object.hasOwn(KEYS, kind)) {
    throw new TypeError(`${what} has the kind ${JSON.stringify(kind)}. Known kinds: ${Object.keys(KEYS).join(", ")}.`);
  }
  checkKnownOptions(what, event, ["atSeconds", "kind", ...KEYS[event.kind]]);
  checkSeconds(`atSeconds of event ${String(index)}`, event.atSeconds);
  if (event.kind === "restart" && typeof event.clean !== "boolean") {
    throw new TypeError(`${what}: clean must be true or false.`);
  }
}
