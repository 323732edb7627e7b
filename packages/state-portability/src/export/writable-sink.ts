import { once } from "node:events";
import type { Sink } from "./sink.js";

/**
 * A sink over a Node stream that waits while the stream is full, so a slow reader costs no memory. The stream stays
 * open.
 *
 * @param stream - For example `process.stdout`.
 */
export function writableSink(stream: NodeJS.WritableStream): Sink {
  return {
    async write(chunk) {
      if (!stream.write(chunk)) await once(stream, "drain");
    },
  };
}
