import type { Clock } from "../clock/clock.js";
import type { Random } from "../clock/random.js";
import { isEngineBusy } from "../errors/classify-persistence-error.js";
import { sqliteResult } from "../errors/sqlite-result.js";
import { storeBusy } from "../errors/write-errors.js";
import { retryDelayMs } from "../writing/retry-schedule.js";

const IO_RETRIES = 3;
const IO_RETRY_MS = 50;

/**
 * Repeats a step of an open while other processes hold the file, and a read that hit a passing I/O error.
 *
 * @param patienceMs - Total time for waiting out locks.
 * @throws STATE_E_BUSY when the patience is used up; any other error at once.
 */
export function retryOpen<T>(
  what: { path: string; doing: string; patienceMs: number; clock: Clock; random: Random },
  step: () => T,
): T {
  const { clock, random } = what;
  const started = clock.monotonicMs();
  for (let ioErrors = 0; ;) {
    try {
      return step();
    } catch (error) {
      const result = sqliteResult(error);
      if (result?.primary === 10 && ioErrors < IO_RETRIES) {
        ioErrors += 1;
        clock.sleep(IO_RETRY_MS);
        continue;
      }
      if (!isEngineBusy(error)) throw error;
      const waited = clock.monotonicMs() - started;
      if (waited >= what.patienceMs) throw storeBusy(what.path, what.doing, waited, error);
      clock.sleep(retryDelayMs(waited, what.patienceMs - waited, random));
    }
  }
}
