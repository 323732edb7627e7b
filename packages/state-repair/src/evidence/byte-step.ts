import { setImmediate } from "node:timers/promises";
import { throwIfAborted } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";

/** Told how many bytes are behind; throwing ends the work. */
export type ByteStep = (bytes: number) => void | Promise<void>;

const PAUSE_BYTES = 8_388_608;

/** Reports bytes as they pass, and lets the rest of the process, an abort among it, have its turn now and then. */
export function byteStep(phase: string, total: number, { onProgress, signal }: ProgressOptions): ByteStep {
  let done = 0;
  let sincePause = 0;
  return async (bytes) => {
    done += bytes;
    sincePause += bytes;
    if (sincePause >= PAUSE_BYTES) {
      sincePause = 0;
      await setImmediate();
    }
    throwIfAborted(signal);
    onProgress?.({ phase, done, total });
  };
}
