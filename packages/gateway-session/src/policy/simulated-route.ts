import { newEntry } from "../entry/new-entry.js";
import type { RoutingEntry } from "../entry/routing-entry.js";
import { afterRestart } from "../recovery/restart.js";
import { afterTurn, withoutTurn, withTurn } from "../recovery/turns.js";
import { keepsConversation } from "./background-active.js";
import { resumableEntry, suspendedEntry } from "./mark-entry.js";
import { nextReset } from "./next-reset.js";
import type { NextReset } from "./next-reset.js";
import type { ResetPolicy } from "./reset-policy.js";
import { resetReason } from "./reset-reason.js";
import type { ResetQuestion } from "./reset-reason.js";
import type { SimulatedEvent } from "./simulated-event.js";

/**
 * What came of an event. `goes_on` and `starts_over`: the conversation does. `would_go_on` and `would_start_over`: a
 * lookup changes nothing. `noted`: the route remembers it. `ignored`: it changes nothing here.
 */
export type SimulatedOutcome = "goes_on" | "starts_over" | "would_go_on" | "would_start_over" | "noted" | "ignored";

/** One line of a simulated timeline. */
export interface SimulatedStep {
  readonly atSeconds: number;
  readonly kind: SimulatedEvent["kind"];
  readonly outcome: SimulatedOutcome;
  /** Why a conversation starts over, or what a mark says; null otherwise. */
  readonly reason: string | null;
  /** Which conversation of the peer it is after the event: 1 is the first. */
  readonly conversation: number;
  /** REAL seconds of the last real activity after the event. */
  readonly updatedAtSeconds: number;
  readonly suspended: boolean;
  readonly resumePending: boolean;
  /** What time would do from here on. */
  readonly next: NextReset | null;
}

type Verdict = readonly [outcome: SimulatedOutcome, reason: string | null];
type Change = readonly [entry: RoutingEntry | undefined, reason?: string | null];

/** One route under a policy. It knows no rule of its own: all of them are those of the router. */
export class SimulatedRoute {
  #entry: RoutingEntry;
  #conversation = 1;
  readonly #work = new Map<string, number>();
  readonly #policy: ResetPolicy;
  readonly #zone: string;
  readonly #maxTurnAgeSeconds: number;

  constructor(policy: ResetPolicy, zone: string, startSeconds: number, maxTurnAgeSeconds: number) {
    this.#policy = policy;
    this.#zone = zone;
    this.#maxTurnAgeSeconds = maxTurnAgeSeconds;
    this.#entry = this.#begin(startSeconds);
  }

  take(event: SimulatedEvent): SimulatedStep {
    const [outcome, reason] = this.#outcome(event);
    const { updatedAtSeconds, suspended, resumePending } = this.#entry;
    const { atSeconds, kind } = event;
    const next = nextReset(this.#question(atSeconds));
    const conversation = this.#conversation;
    return { atSeconds, kind, outcome, reason, conversation, updatedAtSeconds, suspended, resumePending, next };
  }

  #begin(nowSeconds: number): RoutingEntry {
    return newEntry({ sessionKey: "simulated", sessionId: "simulated", source: { platform: "simulated" }, nowSeconds });
  }

  #question(now: number): ResetQuestion {
    const backgroundActive = keepsConversation([...this.#work.values()], this.#policy, now);
    return { entry: this.#entry, policy: this.#policy, now, zone: this.#zone, backgroundActive };
  }

  #outcome(event: SimulatedEvent): Verdict {
    const now = event.atSeconds;
    switch (event.kind) {
      case "lookup": {
        const reason = resetReason(this.#question(now));
        return [reason === null ? "would_go_on" : "would_start_over", reason];
      }
      case "message":
      case "internal":
        return this.#resolve(now, event.kind === "message");
      default:
        return this.#note(this.#change(event, now));
    }
  }

  #resolve(now: number, touch: boolean): Verdict {
    const reason = resetReason(this.#question(now));
    if (reason === null) {
      if (touch) this.#entry = { ...this.#entry, updatedAtSeconds: now };
      return ["goes_on", null];
    }
    this.#entry = this.#begin(now);
    this.#conversation += 1;
    return ["starts_over", reason];
  }

  #note([entry, reason = null]: Change): Verdict {
    if (entry === undefined) return ["ignored", null];
    this.#entry = entry;
    return ["noted", reason];
  }

  #change(event: SimulatedEvent, now: number): Change {
    const entry = this.#entry;
    switch (event.kind) {
      case "turn_begins":
        return [withTurn(entry, "simulated", now)];
      case "turn_ends":
        if (entry.activeTurnToken === null) return [undefined];
        return [event.ok === false ? withoutTurn(entry) : afterTurn(entry)];
      case "suspend":
        return [suspendedEntry(entry), "suspended"];
      case "resume_mark":
        return [resumableEntry(entry, "resume_mark", now), "resume_mark"];
      case "restart":
        return this.#restart(event.clean, now);
      case "work_begins":
        this.#work.set(event.id ?? "work", now);
        return [entry];
      case "work_ends":
        return [this.#work.delete(event.id ?? "work") ? entry : undefined];
      default:
        return [undefined];
    }
  }

  #restart(clean: boolean, now: number): Change {
    const before = this.#entry;
    const after = afterRestart(before, { clean, now, maxTurnAgeSeconds: this.#maxTurnAgeSeconds });
    const step = after?.history.at(-1);
    return step?.why === undefined || step === before.history.at(-1) ? [after] : [after, step.why];
  }
}
