/** A process that has a database or one of its sidecars open, or may have. */
export interface Holder {
  /** Never this process; -1 stands for what could not be looked at. */
  readonly pid: number;
  /** Its open files, as the system names them; empty where its descriptors cannot be read. */
  readonly files: readonly string[];
  /** How it was started, or why nothing is known. */
  readonly command: string;
}

/** Stands for everybody when the system did not answer: whoever may not be ruled out counts as a holder (SEA-10). */
export function unknownHolder(reason: string): Holder {
  return { pid: -1, files: [], command: reason };
}
