import { resetFields } from "./reset-fields.js";

/** What belongs to one turn of the agent (CPT-03). A host may add fields: they go with the turn, too. */
export class TurnState {
  agent: unknown = null;
  /** REAL seconds. */
  startedAtSeconds: number | null = null;
  lease: unknown = null;
  /** When the peer was told that the agent is busy; REAL seconds. */
  busyAckAtSeconds: number | null = null;
  redirectTarget: string | null = null;

  /** Begins anew. Lease tokens are not here: each is given back by the run that took it. */
  clear(): void {
    resetFields(this, new TurnState());
  }
}
