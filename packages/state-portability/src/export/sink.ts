/**
 * Where an export goes. Chunks arrive in order; the next one is sent when the promise of the last has settled. A chunk
 * holds its bytes until then only: copy what is kept longer.
 */
export interface Sink {
  write(chunk: Uint8Array): void | Promise<void>;
  /** Everything has been written: make it durable, and visible under its name. */
  finish?(): void | Promise<void>;
  /** The export failed or was cancelled: leave nothing half-written behind. */
  abort?(): void | Promise<void>;
}
