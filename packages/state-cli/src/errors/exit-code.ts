/** How a command ends; scripts rely on these numbers. */
export const EXIT = {
  done: 0,
  /** Findings, or refused, or failed. */
  failed: 1,
  usage: 2,
  notFound: 3,
  busy: 4,
  corrupt: 5,
  interrupted: 130,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_CODE: Readonly<Record<string, ExitCode>> = {
  STATE_E_USAGE: EXIT.usage,
  STATE_E_REDACT_PATTERN: EXIT.usage,
  STATE_E_SESSION_NOT_FOUND: EXIT.notFound,
  STATE_E_SESSION_AMBIGUOUS: EXIT.notFound,
  STATE_E_PARENT_NOT_FOUND: EXIT.notFound,
  STATE_E_MESSAGE_NOT_FOUND: EXIT.notFound,
  STATE_E_STORE_MISSING: EXIT.notFound,
  STATE_E_IMPORT_MISSING: EXIT.notFound,
  STATE_E_BUSY: EXIT.busy,
  STATE_E_COMPRESSION_BUSY: EXIT.busy,
  STATE_E_OFFLINE_IN_USE: EXIT.busy,
  STATE_E_SESSION_IN_USE: EXIT.busy,
  STATE_E_CORRUPT: EXIT.corrupt,
  STATE_E_NOT_A_DATABASE: EXIT.corrupt,
  STATE_E_INDEX_DAMAGED: EXIT.corrupt,
  STATE_E_ABORTED: EXIT.interrupted,
};

/** The exit code of an error code; 1 for every failure that has no number of its own. */
export function exitCodeOf(code: string): ExitCode {
  return BY_CODE[code] ?? EXIT.failed;
}
