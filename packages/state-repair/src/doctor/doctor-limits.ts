const MEBIBYTE = 1024 * 1024;

/** From where on a size is worth a word. */
export interface DoctorLimits {
  /** Logical size above which pruning is advised. Default 1 GiB. */
  readonly largeStoreBytes: number;
  /** Log above which it is mentioned. Default 10 MiB. */
  readonly logNoteBytes: number;
  /** Log above which it is checkpointed when fixing. Default 50 MiB. */
  readonly logWarningBytes: number;
}

/** The limits of the test book (5.5). */
export const DOCTOR_LIMITS: DoctorLimits = Object.freeze({
  largeStoreBytes: 1024 * MEBIBYTE,
  logNoteBytes: 10 * MEBIBYTE,
  logWarningBytes: 50 * MEBIBYTE,
});
