import type { SessionStoragePort } from "../src/index.js";
import { endInMemory, memoryRoutes } from "./memory/memory-routes.js";
import { memoryRecords } from "./memory/memory-records.js";
import { emptyTables } from "./memory/memory-tables.js";
import type { MemoryTables } from "./memory/memory-tables.js";
import { memoryTranscripts } from "./memory/memory-transcripts.js";

/** A port over tables in memory, which outlive it as a file would: hand them on to the next one. */
export interface MemoryPort extends SessionStoragePort {
  readonly tables: MemoryTables;
  /** A compaction: the conversation goes on in another session. */
  rotate(from: string, to: string): void;
  end(sessionId: string, reason: string): void;
  /**
   * Called before every method; what it throws is what the method fails with, and what it waits for delays it.
   */
  intercept: ((method: keyof SessionStoragePort, args: readonly unknown[]) => void | Promise<void>) | undefined;
}

/** Makes one. @param options - `clock`: REAL seconds; `tables`: those of another port, as after a restart. */
export function memoryPort(options: { readonly clock: { now(): number }; readonly tables?: MemoryTables }): MemoryPort {
  const { tables = emptyTables() } = options;
  const now = (): number => options.clock.now();
  const methods = { ...memoryRoutes(tables, now), ...memoryTranscripts(tables, now), ...memoryRecords(tables, now) };
  const port = {
    tables,
    intercept: undefined as MemoryPort["intercept"],
    end(sessionId: string, reason: string): void {
      endInMemory(tables, sessionId, reason, now());
    },
    rotate(from: string, to: string): void {
      const parent = tables.sessions.get(from)!;
      Object.assign(parent, { endedAt: now(), endReason: "compression" });
      const child = { ...parent, id: to, parentSessionId: from, title: null, startedAt: now(), endedAt: null };
      tables.sessions.set(to, { ...child, endReason: null, order: tables.sessions.size });
      const id = (tables.messages.at(-1)?.id ?? 0) + 1;
      tables.messages.push({
        id,
        sessionId: to,
        message: { role: "user", content: "summary" },
        at: now(),
        active: true,
      });
    },
  };
  for (const [name, method] of Object.entries(methods)) {
    Object.assign(port, {
      async [name](...args: unknown[]): Promise<unknown> {
        await port.intercept?.(name as keyof SessionStoragePort, args);
        return (method as (...args: unknown[]) => Promise<unknown>)(...args);
      },
    });
  }
  return port as unknown as MemoryPort;
}
