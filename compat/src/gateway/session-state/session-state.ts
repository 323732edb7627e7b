import { ConversationState } from "./conversation-state.js";
import { PersistentState } from "./persistent-state.js";
import { TurnState } from "./turn-state.js";

/** What a gateway keeps of a peer while it runs, in three scopes (CPT-03). */
export class SessionState {
  readonly turn: TurnState = new TurnState();
  readonly conversation: ConversationState = new ConversationState();
  readonly persistent: PersistentState = new PersistentState();
  /** Lease tokens by run generation. */
  readonly leaseTokens: Map<number, unknown> = new Map<number, unknown>();
}
