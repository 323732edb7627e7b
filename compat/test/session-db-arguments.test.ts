import { copyFileSync } from "node:fs";
import { tempDir, testClock, testRandom } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SessionDB } from "../src/session-db/index.js";
import { builtSessionDb } from "./support/built-session-db.js";
import { BY_NAME, BY_PLACE_OR_NAME } from "./support/session-db-calls.js";
import type { FacadeCall } from "./support/session-db-calls.js";

const { AsyncSessionDB } = builtSessionDb();

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

const CALLS = [...BY_PLACE_OR_NAME, ...BY_NAME];
const LATER = 1_900_000_000;
const TABLES = ["sessions", "messages", "gateway_routing", "state_meta", "session_model_usage", "compression_locks"];

let folder: TempDir;
let template: string;
let untouched: string;
let copies = 0;

beforeAll(() => {
  folder = tempDir("arguments");
  template = folder.file("template.db");
  using db = new SessionDB(template, { clock: testClock(), random: testRandom(1) });
  for (const [id, source] of [
    ["s", "cli"],
    ["t", "telegram"],
  ] as const) {
    db.createSession(id, source, { cwd: "/w", title: `The title of ${id}` });
    db.appendMessage(id, "user", "where is the harbour");
    db.appendMessage(id, "assistant", "behind the gate of the harbour");
    db.appendMessage(id, "user", "thanks");
    db.endSession(id, "cli_close");
  }
  db.createSession("e", "cli");
  db.endSession("e", "cli_close");
  untouched = dump(db);
});
afterAll(() => folder[Symbol.dispose]());

function copy(): string {
  copies++;
  const path = folder.file(`copy-${copies}.db`);
  copyFileSync(template, path);
  return path;
}

function dump(db: SessionDB): string {
  return JSON.stringify(db.store.read((r) => TABLES.map((name) => r.all(`SELECT * FROM ${name}`))));
}

function open(rows: "camel" | "peer" = "camel"): SessionDB {
  return new SessionDB(copy(), { rows, clock: testClock(LATER), random: testRandom(1) });
}

interface Outcome {
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
  /** What the store holds afterwards. */
  readonly rows: string;
}

async function outcomeOf(work: () => unknown, rows: () => string): Promise<Outcome> {
  try {
    const result = await work();
    return { result, rows: rows() };
  } catch (error) {
    const { name, message } = error as Error;
    return { error: (error as { code?: string }).code ?? name, message, rows: rows() };
  }
}

/** Calls a method of a store of its own. */
async function run(
  { method }: FacadeCall,
  args: readonly unknown[],
  rows: "camel" | "peer" = "camel",
): Promise<Outcome> {
  using db = open(rows);
  return await outcomeOf(
    () => (db as unknown as Methods)[method]!(...args),
    () => dump(db),
  );
}

/** The same in a worker. */
async function runAside({ method }: FacadeCall, args: readonly unknown[]): Promise<Outcome> {
  await using db = await AsyncSessionDB.open(copy());
  return await outcomeOf(
    () => (db as unknown as Methods)[method]!(...args),
    () => "",
  );
}

const named = ({ required, positional, options }: FacadeCall): unknown[] => [
  ...required,
  { ...positional, ...options },
];

function placed({ required, positional, options }: FacadeCall): unknown[] {
  const args = [...required, ...Object.values(positional)];
  return Object.keys(options).length > 0 ? [...args, options] : args;
}

describe("the arguments of the one-object store", () => {
  it.each(CALLS)("CPT-01 $method refuses an option that it does not have, by name, and does nothing", async (call) => {
    const refused = await run(call, [...call.required, { ...call.options, misspelt: 1 }]);
    expect(refused).toMatchObject({ error: "TypeError", rows: untouched });
    expect(refused.message).toContain("misspelt");
  });

  it.each(BY_PLACE_OR_NAME)("CPT-01 $method takes its parameters by place as it takes them by name", async (call) => {
    const byName = await run(call, named(call));
    expect(byName.error).toBeUndefined();
    expect(await run(call, placed(call))).toEqual(byName);
    const peer = await run(call, named(call), "peer");
    expect(peer.rows).toBe(byName.rows);
  });

  const several = BY_PLACE_OR_NAME.filter(({ positional }) => Object.keys(positional).length > 1);
  it.each(several)("CPT-01 $method has its parameters in the old order", async (call) => {
    const pairs = Object.entries(call.positional).filter(([, value]) => value !== null);
    expect(pairs.length).toBeGreaterThan(0);
    using db = open();
    const method = (db as unknown as Methods)[call.method]!.bind(db);
    for (const [name, value] of pairs) {
      const before = Array<undefined>(Object.keys(call.positional).indexOf(name)).fill(undefined);
      expect(() => method(...call.required, ...before, value, { [name]: value })).toThrow(`${name} is given twice`);
    }
    expect(dump(db)).toBe(untouched);
  });

  it("CPT-01 CPT-03 rows have no key in the other spelling, wherever they are", { timeout: 120_000 }, async () => {
    const wrong: string[] = [];
    const look = (what: string, value: unknown, pattern: RegExp): void => {
      if (Array.isArray(value)) for (const item of value) look(what, item, pattern);
      else if (typeof value === "object" && value !== null) {
        for (const [key, cell] of Object.entries(value)) {
          if (pattern.test(key)) wrong.push(`${what}: ${key}`);
          // What a cell holds is the caller's.
          if (!/metadata|tool_?calls|config|details|items/i.test(key)) look(what, cell, pattern);
        }
      }
    };
    for (const call of CALLS) {
      if (call.method.startsWith("export")) continue;
      look(`peer ${call.method}`, (await run(call, call.required, "peer")).result, /[A-Z]/);
      look(`camel ${call.method}`, (await run(call, call.required)).result, /[a-z]_[a-z]/);
    }
    expect(wrong).toEqual([]);
  });
});

describe("the arguments of the one-object store in a worker", () => {
  // What it gives out has the moment of a clock, which a worker has not in common.
  const CLOCKED = new Set(["setMessageReaction"]);

  it("CPT-01 COR-38 every method answers and refuses as it does at home", { timeout: 120_000 }, async () => {
    for (const call of CALLS.filter(({ method }) => !CLOCKED.has(method))) {
      const here = await run(call, named(call));
      const { rows: _rows, ...aside } = await runAside(call, named(call));
      expect({ method: call.method, ...aside, rows: here.rows }).toEqual({ method: call.method, ...here });
    }
    const refused = await runAside(CALLS[0]!, [...CALLS[0]!.required, { misspelt: 1 }]);
    expect(refused.error).toBe("TypeError");
    expect(refused.message).toContain("misspelt");
  });
});
