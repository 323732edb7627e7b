/** A process that stands in the way of a rebuild. */
export interface RebuildObstacle {
  /** Never this process; -1 stands for what could not be looked at. */
  readonly pid: number;
  /** Its open files of the store; empty where they cannot be read. */
  readonly files: readonly string[];
  readonly command: string;
}

/** Why a rebuild has to wait: others have the file open, one of them rebuilds, or no lock can be had at all. */
export type DeferralReason = "held-open" | "locked" | "lock-failed";

/** The right to rebuild a search index from scratch, to be given back; or why it is not to be had (SEA-09, SEA-10). */
export type RebuildAdmission =
  | { readonly kind: "admitted"; readonly release: () => void }
  | {
      readonly kind: "deferred";
      readonly reason: DeferralReason;
      /** Who has the file open, for `held-open`; who left its name in the lock, for `locked`. */
      readonly holders: readonly RebuildObstacle[];
      /** What the system said, for `lock-failed`. */
      readonly errno: number | undefined;
    };
