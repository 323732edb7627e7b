import type { JsonObject } from "@hermes/state-core";

/** What a session search answers, as plain JSON; without success there is an `error`, and `guidance` where it helps. */
export interface SessionSearchReply extends JsonObject {
  readonly success: boolean;
}
