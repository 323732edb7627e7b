import { afterEach, expect, it } from "vitest";
import type { Connection } from "../connection/connection.js";
import { isStateError } from "../errors/state-error.js";
import { openReaderCount, READERS_PER_FILE, READERS_PER_PROCESS } from "./reader-permits.js";
import { ReadPool } from "./read-pool.js";

let open = 0;
let peak = 0;
const pools: ReadPool[] = [];

function pool(path: string): ReadPool {
  const created = new ReadPool(path, () => {
    open += 1;
    peak = Math.max(peak, open);
    return {
      close: () => (open -= 1),
      run: () => undefined,
      isOpen: true,
      inTransaction: false,
    } as unknown as Connection;
  });
  pools.push(created);
  return created;
}

function nest(target: ReadPool, depth: number): number {
  return target.use(() => (depth === 0 ? open : nest(target, depth - 1)));
}

afterEach(() => {
  for (const created of pools.splice(0)) created.close();
  expect(open).toBe(0);
  expect(openReaderCount()).toBe(0);
  peak = 0;
});

it("COR-06 uses one connection again for reads one after the other", () => {
  const target = pool("/a");
  for (let read = 0; read < 100; read++) target.use(() => undefined);
  expect(peak).toBe(1);
});

it("COR-06 P25 opens at most 8 connections on a file and shares the last beyond that", () => {
  expect(nest(pool("/a"), 50)).toBe(READERS_PER_FILE);
});

it("COR-06 keeps a process to 24 connections by closing idle ones of other stores", () => {
  const many = Array.from({ length: 60 }, (_, index) => pool(`/store-${index}`));
  for (const target of many) target.use(() => undefined);
  expect(peak).toBeLessThanOrEqual(READERS_PER_PROCESS);
  many[0]?.use(() => undefined);
});

it("COR-06 refuses with a typed error when every connection of the process is in use", () => {
  const busy = [pool("/a"), pool("/b"), pool("/c")];
  const late = pool("/d");
  const hold = (index: number, depth: number): unknown => {
    const target = busy[index];
    if (!target) return late.use(() => "read");
    return target.use((): unknown => (depth > 1 ? hold(index, depth - 1) : hold(index + 1, READERS_PER_FILE)));
  };
  let code: string | undefined;
  try {
    hold(0, READERS_PER_FILE);
  } catch (error) {
    if (isStateError(error)) code = error.code;
  }
  expect(code).toBe("STATE_E_READERS_EXHAUSTED");
});

it("COR-03 closes a lent connection when it comes back to a closed pool", () => {
  const target = pool("/a");
  target.use(() => {
    target.close();
    expect(open).toBe(1);
  });
  expect(open).toBe(0);
  expect(() => target.use(() => undefined)).toThrow(expect.objectContaining({ code: "STATE_E_CLOSED" }));
});

it("COR-06 gives the permit back when an open fails", () => {
  const broken = new ReadPool("/x", () => {
    throw new Error("cannot open");
  });
  pools.push(broken);
  for (let attempt = 0; attempt < 30; attempt++) expect(() => broken.use(() => undefined)).toThrow("cannot open");
  expect(openReaderCount()).toBe(0);
});
