import { seedFor, tempHome } from "@hermes/testkit";
import type { NewMessage, StateStore } from "@hermes/state-core";
import type { ExportFormat } from "@hermes/state-portability";
import { importInto } from "@hermes/state-portability";
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messagesOf } from "./agents/read-store.js";
import { exported, open } from "./support.js";

const RUNS = 25;
const seed = seedFor("codec round trip");

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  fc.constantFrom("旅行 🎌", "a\r\nb", "nul\u0000mid", "</script><b>", '{"a":1}', "\u202eRTL", "x".repeat(5000)),
);
const call = fc.record({
  name: fc.constantFrom("bash", "read_file"),
  arguments: fc.constantFrom("{}", '{"path":"é"}'),
});

/** A turn: what was said, a reply, calls with their results in any order. */
const turn = fc
  .record({
    said: text,
    reply: text,
    calls: fc.array(call, { maxLength: 3 }),
    results: fc.array(text, { minLength: 3, maxLength: 3 }),
    reverse: fc.boolean(),
  })
  .map(({ said, reply, calls, results, reverse }) => ({ said, reply, calls, results, reverse }));

function messages(
  turns: readonly {
    said: string;
    reply: string;
    calls: { name: string; arguments: string }[];
    results: string[];
    reverse: boolean;
  }[],
): NewMessage[] {
  return turns.flatMap(({ said, reply, calls, results, reverse }, number) => {
    const toolCalls = calls.map(({ name, arguments: given }, index) => ({
      id: `call-${number}-${index}`,
      type: "function",
      function: { name, arguments: given },
    }));
    const answers = toolCalls.map(({ id, function: { name } }, index): NewMessage => {
      return { role: "tool", content: results[index] ?? "", toolCallId: id, toolName: name };
    });
    return [
      { role: "user", content: said },
      { role: "assistant", content: reply, ...(toolCalls.length > 0 && { toolCalls }) },
      ...(reverse ? answers.toReversed() : answers),
    ];
  });
}

/** What every format must bring back. */
function talk(store: StateStore, id: string): string[] {
  return messagesOf(store, id).map(({ role, text: said, calls, answers }) =>
    JSON.stringify([role, said, calls.length, answers !== null]),
  );
}

async function roundTrip(
  format: ExportFormat,
  from: string,
  list: readonly NewMessage[],
): Promise<[string[], string[]]> {
  using home = tempHome();
  using store = open(home.statePath);
  using there = open(home.file("there.db"));
  store.sessions.create({ id: "s", source: "cli" });
  store.messages.appendBatch("s", list);
  const { text: written } = await exported(store, { format, sessionIds: ["s"] });
  writeFileSync(home.file("file.json"), written);
  const report = await importInto(there, home.file("file.json"));
  expect(report).toMatchObject({ format: from, imported: 1, failed: 0 });
  return [talk(store, "s"), talk(there, "s")];
}

describe(`formats of other programs, both ways (seed ${seed})`, () => {
  it("POR-04 OpenAI chat brings back every message, call and result in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
        const [here, there] = await roundTrip("openai", "openai", messages(turns));
        expect(there).toEqual(here);
      }),
      { seed, numRuns: RUNS },
    );
  });

  it("POR-04 ATIF brings back every message, results beside their calls", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
        const [here, there] = await roundTrip("atif", "atif", messages(turns));
        expect(there).toEqual(here);
      }),
      { seed, numRuns: RUNS },
    );
  });

  it("POR-04 ShareGPT brings back every text and every call; a reply that also calls is told in pieces", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
        const [here, there] = await roundTrip("sharegpt", "sharegpt", messages(turns));
        const texts = (lines: readonly string[]): unknown[] =>
          lines.map((line) => (JSON.parse(line) as [string, string])[1]).filter((said) => said !== "");
        const calls = (lines: readonly string[]): number =>
          lines.reduce((sum, line) => sum + (JSON.parse(line) as [string, string, number])[2], 0);
        expect([texts(there), calls(there)]).toEqual([texts(here), calls(here)]);
      }),
      { seed, numRuns: RUNS },
    );
  });
});
