import { isStateError, StateError } from "@hermes/state-core";
import type { StateErrorCode } from "@hermes/state-core";

/**
 * A class of the old module for some codes of `StateError`: `error instanceof X` and `catch` blocks written with it go
 * on working, whoever threw the error.
 */
abstract class CodedError extends StateError {
  protected static readonly codes: readonly StateErrorCode[] = [];

  static override [Symbol.hasInstance](this: typeof CodedError, error: unknown): boolean {
    return isStateError(error) && this.codes.includes(error.code);
  }
}

/** A session has more messages than a resume takes on. */
export class SessionResumeTooLargeError extends CodedError {
  protected static override readonly codes: readonly StateErrorCode[] = ["STATE_E_RESUME_TOO_LARGE"];
}

/** A session has more messages than an export takes on. */
export class SessionExportTooLargeError extends CodedError {
  protected static override readonly codes: readonly StateErrorCode[] = ["STATE_E_EXPORT_TOO_LARGE"];
}

/** A compaction closed the session: messages belong in its continuation. */
export class CompressionSessionClosedError extends CodedError {
  protected static override readonly codes: readonly StateErrorCode[] = [
    "STATE_E_COMPRESSION_CLOSED",
    "STATE_E_NO_LIVE_CONTINUATION",
  ];
}

/** Somebody else compacts the session, or the lease on it was lost. */
export class CompressionSessionBusyError extends CodedError {
  protected static override readonly codes: readonly StateErrorCode[] = ["STATE_E_COMPRESSION_BUSY"];
}

/** The same, as the oldest module called it. */
export class SessionCompressionInProgressError extends CodedError {
  protected static override readonly codes: readonly StateErrorCode[] = ["STATE_E_COMPRESSION_BUSY"];
}

/** Write-ahead logging was asked for and the file system does not carry it. */
export class WalUnsupportedError extends CodedError {
  protected static override readonly codes: readonly StateErrorCode[] = ["STATE_E_WAL_UNSUPPORTED"];
}
