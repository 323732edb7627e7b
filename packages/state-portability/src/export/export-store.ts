import { checkKnownOptions } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { codecs } from "../codecs.js";
import { peerSubsetCodec } from "../peer-jsonl/peer-jsonl-codec.js";
import type { ExportCodec, ExportFormat } from "./export-codec.js";
import type { ExportOptions, ExportReport } from "./export-options.js";
import { ExportRun } from "./export-run.js";
import type { Sink } from "./sink.js";

const OPTIONS: readonly (keyof ExportOptions)[] = [
  "format",
  "peerSubset",
  "sessionIds",
  "lineage",
  "filter",
  "redact",
  "onSession",
  "onProgress",
  "signal",
];

/**
 * Writes sessions to a sink, one after the other at constant memory; each is read as one state, never half before
 * and half after somebody changed it (POR-01, POR-03, POR-04).
 *
 * @returns What was written, and what the format could not carry.
 * @throws STATE_E_SESSION_NOT_FOUND for an id in `sessionIds` that is not there, STATE_E_ABORTED, and whatever the sink
 * throws; the sink's `abort` has been called then.
 * @example
 * ```ts
 * await exportStore(store, fileSink(store, "sessions.jsonl"), { format: "jsonl" });
 * ```
 */
export async function exportStore(store: StateStore, sink: Sink, options: ExportOptions): Promise<ExportReport> {
  checkKnownOptions("exportStore", options, OPTIONS);
  const codec = options.peerSubset === true ? subsetCodec(options.format) : chooseCodec(options.format);
  if (options.lineage !== undefined && !options.sessionIds) {
    throw new TypeError("exportStore: lineage says what goes with sessionIds, and there are none.");
  }
  try {
    const report = await new ExportRun(store, sink, codec, options).run();
    await sink.finish?.();
    return report;
  } catch (error) {
    await sink.abort?.();
    throw error;
  }
}

/** @throws TypeError for a format that is not the peer's. */
function subsetCodec(format: ExportFormat): ExportCodec {
  if (format === peerSubsetCodec.format) return peerSubsetCodec;
  throw new TypeError(`exportStore: peerSubset is for the format ${peerSubsetCodec.format}, not ${format}.`);
}

/** @throws RangeError when there is no such format. */
export function chooseCodec(format: ExportFormat): ExportCodec {
  const codec = Object.values(codecs).find((candidate) => candidate.format === format);
  if (codec) return codec;
  const known = Object.values(codecs).map((candidate) => candidate.format);
  throw new RangeError(`exportStore: format must be one of ${known.join(", ")}, not ${JSON.stringify(format)}.`);
}
