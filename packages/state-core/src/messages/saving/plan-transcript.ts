import type { NewMessage } from "../new-message.js";
import { placesOf } from "./markers-of.js";
import { messageDigest } from "./message-digest.js";
import type { Place } from "./persisted-marker.js";
import { transcriptOrder } from "./saving-errors.js";

/** A message of the list that is stored already. */
export interface StoredEntry {
  readonly position: number;
  readonly place: Place;
  /** It says what it said when it was marked. */
  readonly intact: boolean;
}

/** A message of the list that is new in its session. */
export interface FreshEntry {
  readonly position: number;
  readonly message: NewMessage;
  /** It carries the marker of another session or store. */
  readonly foreign: boolean;
}

/** A list, told apart. */
export interface TranscriptPlan {
  readonly sessionId: string;
  readonly stored: readonly StoredEntry[];
  readonly fresh: readonly FreshEntry[];
  /** The newest row that the list names, 0 when it names none. */
  readonly newest: number;
  /** Other sessions of this store that messages were loaded from. */
  readonly origins: ReadonlySet<string>;
}

/** A file without a token cannot tell itself from others: its rows are judged one by one all the more. */
function isOfStore(place: Place, generation: string | undefined): boolean {
  return place.generation === generation || place.generation === undefined;
}

function orderOf(sessionId: string, stored: readonly StoredEntry[], fresh: readonly FreshEntry[]): number {
  const firstNew = fresh[0]?.position ?? Infinity;
  let newest = 0;
  const seen = new Set<number>();
  for (const { position, place } of stored) {
    if (place.repeated) continue;
    if (position > firstNew) throw transcriptOrder(sessionId, firstNew, "inserted");
    if (place.rows.some((id) => seen.has(id))) throw transcriptOrder(sessionId, position, "repeated");
    if (place.rows.some((id) => id < newest)) throw transcriptOrder(sessionId, position, "moved");
    for (const id of place.rows) seen.add(id);
    newest = place.rows.at(-1) ?? newest;
  }
  return newest;
}

/**
 * Tells the messages of a list that are stored from those that are new, by their markers alone. A marker counts only
 * for the store and the session it names (COR-23).
 *
 * @param generation - The file's own token.
 * @throws TypeError for what is no marker. StateError `STATE_E_TRANSCRIPT_ORDER`.
 */
export function planTranscript(
  generation: string | undefined,
  sessionId: string,
  messages: readonly NewMessage[],
): TranscriptPlan {
  const stored: StoredEntry[] = [];
  const fresh: FreshEntry[] = [];
  const origins = new Set<string>();
  messages.forEach((message, position) => {
    if (typeof message !== "object" || (message as unknown) === null) {
      throw new TypeError(`saveTranscript: message ${position} must be an object.`);
    }
    const marked = placesOf(message);
    const places = marked.filter((place) => isOfStore(place, generation));
    const place = places.find((found) => found.sessionId === sessionId.toWellFormed());
    if (place) {
      stored.push({ position, place, intact: messageDigest(message) === place.digest });
    } else {
      fresh.push({ position, message, foreign: marked.length > 0 });
      for (const other of places) origins.add(other.sessionId);
    }
  });
  return { sessionId, stored, fresh, newest: orderOf(sessionId, stored, fresh), origins };
}
