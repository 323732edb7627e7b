import type { Sink } from "./sink.js";

/**
 * A sink over a Node stream that waits until the stream has passed a chunk on, so a slow reader costs no memory. The
 * stream stays open.
 *
 * @param stream - For example `process.stdout`.
 */
export function writableSink(stream: NodeJS.WritableStream): Sink {
  return {
    write(chunk) {
      return new Promise((resolve, reject) => {
        stream.write(chunk, (error) => (error ? reject(error) : resolve()));
      });
    },
  };
}
