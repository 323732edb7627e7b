import type { CoveredKeys } from "../btree/covered-keys.js";
import type { TextEncoding } from "../pages/file-header.js";
import type { PageFile } from "../pages/page-file.js";
import type { PageLedger } from "../pages/page-ledger.js";
import type { SalvageTally } from "./salvage-tally.js";
import type { SeenIds } from "./seen-ids.js";

/** What the steps of one salvage share. */
export interface SalvageRun {
  readonly pages: PageFile;
  readonly encoding: TextEncoding;
  readonly ledger: PageLedger;
  readonly tally: SalvageTally;
  /** Key ranges of each table that intact parts of its tree account for. */
  readonly covered: Map<string, CoveredKeys>;
  /** Message ids that were given out. */
  readonly seen: SeenIds;
  /** Called now and then with the number of pages that were looked at. */
  readonly onPages: (count: number) => void;
}
