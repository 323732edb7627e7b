import { LEGACY_FIELD_SPECS } from "./legacy-field-specs.js";
import { SessionFieldView } from "./session-field-view.js";
import type { SessionState } from "./session-state.js";
import { TurnLeaseTokenView } from "./turn-lease-token-view.js";

/** A gateway that keeps the state of its sessions by key. */
export interface SessionStateOwner {
  readonly sessionStates: Map<string, SessionState>;
}

type ViewOf<T> = PropertyDescriptor & { get(this: SessionStateOwner): T };

/**
 * An old map of a gateway as a property over the states of its sessions (CPT-03):
 * `Object.defineProperty(Gateway.prototype, "runningAgents", legacyDictProperty("runningAgents"))`.
 *
 * @param attrName - One of `LEGACY_FIELD_SPECS`.
 * @returns Its descriptor; a map that is assigned takes the place of all values.
 * @throws RangeError for another name.
 */
export function legacyDictProperty(attrName: string): ViewOf<SessionFieldView> {
  const spec = Object.hasOwn(LEGACY_FIELD_SPECS, attrName) ? LEGACY_FIELD_SPECS[attrName] : undefined;
  if (!spec) throw new RangeError(`legacyDictProperty: there is no old map ${attrName}; see LEGACY_FIELD_SPECS.`);
  return {
    configurable: true,
    get(this: SessionStateOwner) {
      return new SessionFieldView(this.sessionStates, spec);
    },
    set(this: SessionStateOwner, values: Iterable<readonly [string, unknown]>) {
      const all = [...values];
      const view = new SessionFieldView(this.sessionStates, spec);
      view.clear();
      for (const [key, value] of all) view.set(key, value);
    },
  };
}

/** The old map of lease tokens, in the same way (CPT-03). */
export function legacyLeaseTokenProperty(): ViewOf<TurnLeaseTokenView> {
  return {
    configurable: true,
    get(this: SessionStateOwner) {
      return new TurnLeaseTokenView(this.sessionStates);
    },
  };
}
