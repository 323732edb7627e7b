/**
 * The key under which a message says where it is stored. It is enumerable, so it survives every way a message is
 * copied, JSON among them; it begins with an underscore, and {@link toWireMessages} takes it off.
 */
export const PERSISTED_MARKER = "_persisted";

/** What a session's rows a message is stored as. */
export interface StoredAs {
  /** Row ids, rising; several when a repaired history merged neighbours. */
  readonly rows: readonly number[];
  /** Moment of the first row in REAL seconds, as the file has it; undefined when it cannot be read. */
  readonly seconds: number | undefined;
  /** Digest of the message as it was when it was marked. */
  readonly digest: string;
  /** The platform delivered it once more: it stands for an earlier row, wherever it is in the list. */
  readonly repeated: boolean;
}

const VERSION = "1";
const REPEATED = "r";
const UNKNOWN = "-";

/** Between the places of one marker: a message can be stored in several sessions. */
const SEPARATOR = " ";

function sessionPart(sessionId: string): string {
  return encodeURIComponent(sessionId.toWellFormed());
}

/**
 * Writes the place of one message.
 *
 * @param generation - The file's own token; undefined where it has none.
 */
export function writePlace(generation: string | undefined, sessionId: string, as: StoredAs): string {
  const rows = as.rows.join("+") + (as.repeated ? REPEATED : "");
  const seconds = as.seconds === undefined ? UNKNOWN : String(as.seconds);
  return [VERSION, generation ?? UNKNOWN, sessionPart(sessionId), rows, seconds, as.digest].join(":");
}

/** Adds a place to a marker; it takes the place of an older one in the same session. */
export function addPlace(marker: string | undefined, place: string): string {
  const session = place.split(":", 3).join(":");
  const others = (marker ?? "").split(SEPARATOR).filter((other) => other !== "" && !other.startsWith(`${session}:`));
  return [...others, place].join(SEPARATOR);
}

const PLACE = /^1:([^: ]+):([^: ]*):(\d+(?:\+\d+)*)(r?):([^: ]+):([\w-]+)$/;

/** A place that a marker names. */
export interface Place extends StoredAs {
  /** Undefined for a file that had no token. */
  readonly generation: string | undefined;
  readonly sessionId: string;
}

function readPlace(text: string): Place {
  const [, generation = "", session = "", rows = "", repeated = "", seconds = "", digest = ""] = PLACE.exec(text) ?? [];
  if (digest === "") {
    throw new TypeError(
      `message.${PERSISTED_MARKER} is ${JSON.stringify(text)}, which is no marker of this package. ` +
        "Leave it out to store the message, or load the conversation again.",
    );
  }
  return {
    generation: generation === UNKNOWN ? undefined : generation,
    sessionId: decodeURIComponent(session),
    rows: rows.split("+").map(Number),
    repeated: repeated === REPEATED,
    seconds: seconds === UNKNOWN ? undefined : Number(seconds),
    digest,
  };
}

/**
 * Reads all places of a marker.
 *
 * @throws TypeError when it is none of this package.
 */
export function readPlaces(marker: unknown): readonly Place[] {
  return typeof marker === "string" ? marker.split(SEPARATOR).map(readPlace) : [readPlace(String(marker))];
}
