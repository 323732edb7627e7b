import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { testClock } from "@hermes/testkit";
import { exportStore, importInto } from "@hermes/state-portability";
import type { ExportOptions, ExportReport, ImportOptions, ImportReport, Sink } from "@hermes/state-portability";

/** Opens a store whose clock stands still. */
export function open(path: string): StateStore {
  return openStateStore({ path, clock: testClock(1_770_000_000) });
}

/** A sink that keeps everything. */
export function memorySink(): Sink & { text(): string; aborted: boolean } {
  const chunks: Buffer[] = [];
  return {
    aborted: false,
    write: (chunk) => void chunks.push(Buffer.from(chunk)),
    abort() {
      this.aborted = true;
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

/** Exports to a string. */
export async function exported(
  store: StateStore,
  options: ExportOptions,
): Promise<{ text: string; report: ExportReport }> {
  const sink = memorySink();
  const report = await exportStore(store, sink, options);
  return { text: sink.text(), report };
}

/** Imports a string. */
export async function imported(store: StateStore, text: string, options: ImportOptions = {}): Promise<ImportReport> {
  return await importInto(store, streamOf(text), options);
}

/** A stream of the bytes of a text, in pieces. */
export async function* streamOf(text: string | Buffer): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 50_000) yield bytes.subarray(start, start + 50_000);
}

/** Records of an own export, without header and footer. */
export function records(text: string): { type: string; id?: string; session?: string; row: Record<string, unknown> }[] {
  return text
    .trimEnd()
    .split("\n")
    .slice(1, -1)
    .map((line) => JSON.parse(line) as { type: string; row: Record<string, unknown> });
}
