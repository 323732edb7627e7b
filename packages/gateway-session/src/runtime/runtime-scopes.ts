import type { ModelOverride } from "../entry/routing-entry.js";

/** Says that nobody chose; null is a choice of its own: no tier. */
export const UNSET: unique symbol = Symbol("unset");

/** What belongs to one turn of the agent. */
export interface TurnState {
  /** What works on the turn; the host's own. */
  agent: unknown;
  /** REAL seconds. */
  readonly startedAtSeconds: number;
  /** When the peer was told that the agent is busy; REAL seconds. */
  busyAckAtSeconds: number | null;
  /** Where answers of this turn go instead. */
  redirectTarget: string | null;
}

/** What belongs to one conversation. A list is replaced, not changed in place. */
export interface ConversationState {
  /** The model the agent was told to use, as the route says it. */
  modelOverride: ModelOverride | null;
  /** The model to go back to after one turn. */
  oneTurnRestore: ModelOverride | null;
  reasoningOverride: string | null;
  serviceTier: string | null | typeof UNSET;
  lastResolvedModel: string | null;
  queuedEvents: readonly unknown[];
  sidecarNotes: readonly string[];
  ephemeralPin: string | null;
  lastVoiceChannel: string | null;
}

/**
 * What outlives conversations. Approvals and the run generation do so too, and belong to the runtime itself; how often
 * the housekeeping of a conversation failed is kept by the store.
 */
export interface PersistentState {
  updatePromptPending: boolean;
  /** Pictures that wait for the text they belong to. */
  imagePaths: readonly string[];
  /** Text that waits for the rest of it. */
  pendingText: string | null;
}

/**
 * How each scope begins. A host that keeps more adds its fields here, and they are cleared as all others are: a
 * boundary puts a new object in the place of the old one.
 */
export interface RuntimeScopes<T extends TurnState, C extends ConversationState, P extends PersistentState> {
  readonly turn: (nowSeconds: number) => T;
  readonly conversation: () => C;
  readonly persistent: () => P;
}

/** A turn that begins. */
export function newTurnState(nowSeconds: number): TurnState {
  return { agent: null, startedAtSeconds: nowSeconds, busyAckAtSeconds: null, redirectTarget: null };
}

/** A conversation that begins. */
export function newConversationState(): ConversationState {
  return {
    modelOverride: null,
    oneTurnRestore: null,
    reasoningOverride: null,
    serviceTier: UNSET,
    lastResolvedModel: null,
    queuedEvents: [],
    sidecarNotes: [],
    ephemeralPin: null,
    lastVoiceChannel: null,
  };
}

/** A peer that nothing is known of. */
export function newPersistentState(): PersistentState {
  return { updatePromptPending: false, imagePaths: [], pendingText: null };
}

/** The scopes of a host that keeps nothing of its own. */
export const DEFAULT_SCOPES: RuntimeScopes<TurnState, ConversationState, PersistentState> = {
  turn: newTurnState,
  conversation: newConversationState,
  persistent: newPersistentState,
};
