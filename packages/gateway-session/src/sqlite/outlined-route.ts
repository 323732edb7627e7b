import { parseRoutingEntry } from "@hermes/state-core";
import type { JsonObject, RouteOutline } from "@hermes/state-core";
import type { LoadedRoute } from "../port/session-storage-port.js";

/** A route whose entry is parsed when it is asked for: most routes of a start never are. */
export class OutlinedRoute implements LoadedRoute {
  readonly #outline: RouteOutline;

  constructor(outline: RouteOutline) {
    this.#outline = outline;
  }

  get sessionKey(): string {
    return this.#outline.sessionKey;
  }

  get sessionId(): string | null {
    return this.#outline.sessionId;
  }

  get ended(): boolean {
    return this.#outline.ended;
  }

  get entry(): JsonObject | undefined {
    return parseRoutingEntry(this.#outline.entryText);
  }

  get savedAtSeconds(): number | undefined {
    return this.#outline.savedAtSeconds;
  }
}
