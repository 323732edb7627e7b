import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync } from "node:fs";
import { expect } from "vitest";

/**
 * Runs `work`, and `meddle` once in between: after the file has its name and right before the transaction that deletes
 * begins.
 */
export async function between<T>(file: string, meddle: () => void, work: () => Promise<T>): Promise<T> {
  const state = { done: false };
  const listener = (message: unknown): void => {
    const { sql } = message as { readonly sql: string };
    if (state.done || !sql.startsWith("BEGIN IMMEDIATE") || !existsSync(file)) return;
    state.done = true;
    meddle();
  };
  subscribe("hermes:state:statement", listener);
  try {
    return await work();
  } finally {
    unsubscribe("hermes:state:statement", listener);
    expect(state.done, "somebody began a transaction after the export").toBe(true);
  }
}
