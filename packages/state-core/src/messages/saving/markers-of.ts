import { PERSISTED_MARKER, addPlace, readPlaces } from "./persisted-marker.js";
import type { Place } from "./persisted-marker.js";

/** Markers of messages that take no new property, such as frozen ones; forgotten with the message. */
const remembered = new WeakMap<object, string>();

type Marked = Readonly<Record<string, unknown>>;

/** Where a message says it is stored. A marker that is null or undefined says nothing. */
export function placesOf(message: object): readonly Place[] {
  const own = (message as Marked)[PERSISTED_MARKER] ?? undefined;
  const kept = remembered.get(message);
  return [...(own === undefined ? [] : readPlaces(own)), ...(kept === undefined ? [] : readPlaces(kept))];
}

/**
 * Adds a place to what a message says about itself, on the object itself: whoever holds it need not do anything. An
 * object that takes no property is remembered, and a copy that carries the marker is returned.
 */
export function markMessage<T extends object>(message: T, place: string): T {
  const own = (message as Marked)[PERSISTED_MARKER];
  const marker = addPlace(typeof own === "string" ? own : undefined, place);
  if (Reflect.set(message, PERSISTED_MARKER, marker)) return message;
  remembered.set(message, addPlace(remembered.get(message), place));
  return { ...message, [PERSISTED_MARKER]: marker };
}
