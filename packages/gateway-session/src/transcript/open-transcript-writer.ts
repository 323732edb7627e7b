import { checkKnownOptions, systemClock, systemRandom } from "@hermes/state-core";
import type { SessionStoragePort } from "../port/session-storage-port.js";
import { SpoolFolder } from "./spool-folder.js";
import type { TranscriptWriterOptions } from "./transcript-options.js";
import { TranscriptWriter } from "./transcript-writer.js";

const OPTIONS: readonly (keyof TranscriptWriterOptions)[] = ["spoolFolder", "routes", "onWarning", "clock", "random"];

/**
 * Opens a writer of transcripts. What earlier writers left in the spool is taken over and waits in front of new
 * messages; `replay` stores it.
 *
 * @example
 * ```ts
 * await using writer = openTranscriptWriter(sqliteStorage(store), { spoolFolder: spoolFolderOf(store.path) });
 * await writer.replay();
 * const receipt = await writer.append({ sessionId: "s1" }, { role: "user", content: "hello" });
 * if (receipt.durable) await acknowledge();
 * ```
 * @throws StateError `STATE_E_SPOOL_FAILED` when the spool cannot be read (GWS-05).
 */
export function openTranscriptWriter(port: SessionStoragePort, options: TranscriptWriterOptions): TranscriptWriter {
  checkKnownOptions("openTranscriptWriter", options, OPTIONS);
  const { spoolFolder, routes = {}, onWarning = () => undefined } = options;
  if (typeof spoolFolder !== "string" || spoolFolder === "") {
    throw new TypeError("openTranscriptWriter: spoolFolder must name a folder, such as spoolFolderOf(store.path).");
  }
  const { clock = systemClock, random = systemRandom } = options;
  const spool = new SpoolFolder(spoolFolder, clock, random);
  return new TranscriptWriter({ port, spool, routes, clock, random, onWarning });
}
