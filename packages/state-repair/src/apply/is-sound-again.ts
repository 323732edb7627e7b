import { checkStore } from "../check/check-store.js";
import type { ApplyOptions } from "./apply-options.js";
import { wantsTreatment } from "./wants-treatment.js";

/**
 * Whether a file on which repair has failed too often has become sound by other means. A backup restored over damage in
 * its inner pages has the fingerprint of the damage, and no record of attempts may speak against it (REP-04).
 */
export async function isSoundAgain(path: string, options: ApplyOptions): Promise<boolean> {
  const { clock, onProgress, signal } = options;
  return !wantsTreatment(await checkStore(path, { level: "full", ...(clock && { clock }), onProgress, signal }));
}
