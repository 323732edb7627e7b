import { StateError } from "@hermes/state-core";

/** One life of a state object: from a boundary to the next one. */
export interface Scope<T extends object> {
  /** What everybody reads and writes. After the end it can still be read, but no longer written. */
  readonly state: T;
  readonly open: boolean;
  /** Ends it. What holds the state from here on holds the past. */
  close(): void;
}

/** The error of a write through a handle of the past. */
export function scopeClosed(name: string, what: string): StateError {
  const message = `The ${name} is over: ${what} is refused. Ask the runtimes for the one that goes on.`;
  return new StateError("STATE_E_SCOPE_CLOSED", message, { scope: name, what });
}

/** The values of a scope as they are, past the guard; for comparing. */
const raw = new WeakMap<object, object>();

/** The plain object behind the state of a scope. */
export function plainState<T extends object>(state: T): T {
  return (raw.get(state) ?? state) as T;
}

/**
 * Opens a scope around an object. A boundary replaces the whole object, so that a field cannot be forgotten there, and
 * a write through a handle of the past is refused, so that it cannot be lost in silence (GWS-08).
 *
 * @param name - What the scope is, for the message: "conversation 2 of agent:main:telegram:dm:7".
 * @returns The scope; a write after its end throws StateError `STATE_E_SCOPE_CLOSED`.
 */
export function openScope<T extends object>(name: string, fresh: T): Scope<T> {
  let open = true;
  const check = (field: string | symbol): void => {
    if (!open) throw scopeClosed(name, `a change of ${String(field)}`);
  };
  const state = new Proxy(fresh, {
    set(target, field, value) {
      check(field);
      return Reflect.set(target, field, value);
    },
    defineProperty(target, field, descriptor) {
      check(field);
      return Reflect.defineProperty(target, field, descriptor);
    },
    deleteProperty(target, field) {
      check(field);
      return Reflect.deleteProperty(target, field);
    },
  });
  raw.set(state, fresh);
  return {
    state,
    get open() {
      return open;
    },
    close: () => {
      open = false;
    },
  };
}
