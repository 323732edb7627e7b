import { isJsonObject } from "../codec/json-object.js";
import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { NewMessage } from "../messages/new-message.js";
import type { ArchivePlan } from "./archive-in-place.js";
import { checkBound, encodeHandoff } from "./check-compaction.js";
import { ARCHIVE_OPTIONS } from "./compaction-options.js";
import type { ArchiveOptions } from "./compaction-options.js";

/**
 * Checks what a compaction in place is asked to do, and encodes its messages before the transaction begins.
 *
 * @param now - REAL seconds.
 * @throws TypeError or RangeError for an impossible option.
 */
export function planArchive(
  sessionId: string,
  messages: readonly NewMessage[],
  options: ArchiveOptions,
  now: number,
): ArchivePlan {
  checkText("compaction.archive: the session id", sessionId);
  checkKnownOptions("compaction.archive", options, ARCHIVE_OPTIONS);
  const { watermark, holder, tailCount = 0, configPatch } = options;
  checkBound("compaction.archive: watermark", watermark);
  if (holder !== undefined) checkText("compaction.archive: holder", holder);
  if (configPatch !== undefined && !isJsonObject(configPatch)) {
    throw new TypeError("compaction.archive: configPatch must be an object.");
  }
  const encoded = encodeHandoff("compaction.archive", sessionId, messages, now);
  if (!Number.isSafeInteger(tailCount) || tailCount < 0 || tailCount > encoded.length) {
    throw new RangeError(
      `compaction.archive: tailCount must be a whole number from 0 to the ${String(encoded.length)} messages that ` +
        `carry it over, not ${String(tailCount)}.`,
    );
  }
  return {
    sessionId,
    messages: encoded,
    watermark: watermark ?? Number.MAX_SAFE_INTEGER,
    tailCount,
    holder,
    configPatch,
  };
}
