/**
 * How much one import may bring in. A limit of 0 is no limit. Sizes are bytes of the file, checked before anything is
 * parsed.
 */
export interface ImportLimits {
  readonly maxSessions: number;
  readonly maxMessagesPerSession: number;
  readonly maxMessages: number;
  readonly maxSessionBytes: number;
  readonly maxTotalBytes: number;
}

const MIB = 1024 * 1024;

/**
 * What the peer's own import accepts (POR-02): its file holds a whole session in one line, so a line must fit in
 * memory.
 */
export const PEER_IMPORT_LIMITS: ImportLimits = {
  maxSessions: 500,
  maxMessagesPerSession: 10_000,
  maxMessages: 50_000,
  maxSessionBytes: 5 * MIB,
  maxTotalBytes: 25 * MIB,
};

/**
 * This stack's own file is read line by line and each line is one row, so only the size of one row is bounded:
 * what a store can hold, its export can bring back (POR-01).
 */
export const STATE_IMPORT_LIMITS: ImportLimits = {
  maxSessions: 0,
  maxMessagesPerSession: 0,
  maxMessages: 0,
  maxSessionBytes: 0,
  maxTotalBytes: 0,
};

/** The longest line of this stack's own JSONL, in bytes: four times the largest message that has been reported. */
export const MAX_STATE_LINE_BYTES: number = 256 * MIB;

/** True when `value` is more than `limit` allows. */
export function exceeds(value: number, limit: number): boolean {
  return limit > 0 && value > limit;
}
