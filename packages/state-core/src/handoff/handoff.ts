import type { Reader, Writer } from "@hermes/state-schema";
import { checkText } from "../codec/check-text.js";
import { startedSql } from "../sessions/activity-sql.js";
import { sessionNotFound } from "../sessions/session-errors.js";
import type { StoreContext } from "../store/context.js";

const ERROR_LIMIT = 500;

const REQUEST = `
  UPDATE sessions SET handoff_state = 'pending', handoff_platform = ?, handoff_error = NULL
  WHERE id = ? AND (handoff_state IS NULL OR handoff_state IN ('completed', 'failed'))`;
const CLAIM = "UPDATE sessions SET handoff_state = 'running' WHERE id = ? AND handoff_state = 'pending'";
const SETTLE = `
  UPDATE sessions SET handoff_state = ?, handoff_error = ?
  WHERE id = ? AND handoff_state IN ('pending', 'running')`;

const COLUMNS = "id AS sessionId, handoff_state AS state, handoff_platform AS platform, handoff_error AS error";
const SELECT_ONE = `SELECT ${COLUMNS} FROM sessions WHERE id = ?`;
const SELECT_PENDING = `
  SELECT ${COLUMNS} FROM sessions WHERE handoff_state = 'pending' ORDER BY ${startedSql("sessions")}, id`;

/** How the handoff of a session to another platform stands. */
export interface HandoffState {
  readonly sessionId: string;
  /** `pending`, `running`, `completed`, `failed`, or a word of a newer writer; null when none was asked for. */
  readonly state: string | null;
  readonly platform: string | null;
  /** Why it failed; at most 500 characters. */
  readonly error: string | null;
}

function settle(w: Writer, sessionId: string, state: "completed" | "failed", error: string | null): boolean {
  return w.run(SETTLE, [state, error, sessionId]).changes > 0;
}

function pending(r: Reader): HandoffState[] {
  return r.all<HandoffState>(SELECT_PENDING);
}

/**
 * Handing a session over to another platform: asked for, claimed by whoever does it, done or failed. Each step is one
 * statement, so of two processes one wins (COR-36).
 */
export class Handoff {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * Asks for a handoff. What an earlier one failed with is forgotten.
   *
   * @returns Whether it was asked for by this call; false while one is under way, and for an unknown id.
   */
  request(sessionId: string, platform: string): boolean {
    checkText("handoff.request: platform", platform);
    return this.#context.write("request a handoff", (w) => w.run(REQUEST, [platform, sessionId]).changes > 0);
  }

  /**
   * Takes a handoff on.
   *
   * @returns Whether it is this caller's: of any number of claims one is true.
   */
  claim(sessionId: string): boolean {
    return this.#context.write("claim a handoff", (w) => w.run(CLAIM, [sessionId]).changes > 0);
  }

  /**
   * Says that a handoff is done.
   *
   * @returns Whether there was one under way.
   */
  complete(sessionId: string): boolean {
    return this.#context.write("complete a handoff", (w) => settle(w, sessionId, "completed", null));
  }

  /**
   * Says that a handoff failed; it may be asked for again.
   *
   * @param error - What went wrong; 500 characters of it are kept.
   * @returns Whether there was one under way.
   */
  fail(sessionId: string, error: string): boolean {
    if (typeof error !== "string") throw new TypeError("handoff.fail: error must be a string.");
    const kept = Array.from(error).slice(0, ERROR_LIMIT).join("");
    return this.#context.write("fail a handoff", (w) => settle(w, sessionId, "failed", kept));
  }

  /**
   * How the handoff of a session stands.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  get(sessionId: string): HandoffState {
    const state = this.#context.read((r) => r.get<HandoffState>(SELECT_ONE, [sessionId]));
    if (!state) throw sessionNotFound(sessionId);
    return state;
  }

  /** Every handoff that nobody has claimed yet, the oldest session first. */
  pending(): readonly HandoffState[] {
    return this.#context.read(pending);
  }
}
