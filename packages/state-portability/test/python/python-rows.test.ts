import { renderTable, TABLES as TABLE_MODELS } from "@hermes/state-schema";
import { describePython, tempHome } from "@hermes/testkit";
import type { TempHome } from "@hermes/testkit";
import { REASONING_COLUMNS } from "../../src/peer-jsonl/peer-columns.js";
import { DERIVED_COLUMNS } from "../../src/rows/entities.js";
import { RUNTIME_COLUMNS } from "@hermes/state-portability";
import type { ExportFormat } from "@hermes/state-portability";
import { expect, it } from "vitest";
import { exported, imported, open } from "../support.js";
import { fillByPython, readByPython } from "./row-kinds.js";
import type { Kinds, PythonTable } from "./row-kinds.js";

const hex = (text: string): string => Buffer.from(text, "utf8").toString("hex");

const NEARLY = "\0json:not really";

const TEXTS = [
  "",
  '\0json:[{"type": "text", "text": "\\u770b"}, {"type": "card", "chat": 12345678901234567890, "n": 1e-07}]',
  "plain",
  "nul\0mid",
  NEARLY,
  "👩‍👩‍👧 𠮷 e\u0301",
  "مرحبا שלום",
  " spaces\t\r\n",
  "12",
  "\uFFFD",
  "\u2028",
];

const JSON_CELLS = {
  tool_calls: [
    null,
    "[]",
    '[{"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{\\"a\\": 1}"}}]',
  ],
  reasoning_details: [null, '[{"type": "reasoning.text", "text": "\\u6df1", "n": 1e+21, "big": 12345678901234567890}]'],
  codex_reasoning_items: [null, '[{"id": "rs_1"}]'],
  codex_message_items: [null, "[]"],
  display_metadata: [null, '{"chat": 12345678901234567890, "a": [1, 2.5, null], "b": "\\ud83d\\ude42"}'],
  model_config: [null, '{"temperature": 0.5, "_x": [1, null]}'],
  absorbed_message_uids: [null, '["a", "b"]'],
  tool_call_uids: [null, "[]"],
  origin_json: [null],
  tool_names: [null, '["terminal"]'],
} as const;

/** Everything that a file can hold, right or wrong. */
const ANYTHING: Kinds = {
  // The last two are no UTF-8: half of a surrogate pair, and a cut sequence.
  texts: [...TEXTS.map(hex), "61eda08062", "e5a4"],
  integers: ["0", "1", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808"],
  reals: [0.1, -0, 5e-324, 1.7976931348623157e308, 1_769_000_000.123456, 1e21, 3],
  odd: true,
  json: {
    ...JSON_CELLS,
    tool_calls: [...JSON_CELLS.tool_calls, "{broken", '[{"n": NaN}]'],
    model_config: [null, "{broken", "[1]"],
  },
  roles: ["user", "assistant", "tool", "system", "session_meta", "odd role 👻"],
  archived: true,
};

/**
 * What the peer's own format can say. Its writer makes NULL of an empty list of calls, and a text that begins as
 * structured content does is wrapped on its way in, so that it is read as the text it is.
 */
const SAYABLE: Kinds = {
  texts: TEXTS.filter((text) => text !== NEARLY).map(hex),
  integers: ["0", "1", "-1", "9007199254740991"],
  reals: [0, 1_769_000_000.123456, 1_769_000_000, 0.1],
  odd: false,
  json: { ...JSON_CELLS, tool_calls: JSON_CELLS.tool_calls.filter((calls) => calls !== "[]") },
  roles: ["assistant"],
  archived: true,
};

const TABLES = {
  sessions: "id",
  messages: "session_id, id",
  system_prompts: "hash",
  session_model_usage: "session_id, model, task",
  session_daily_usage: "session_id, day",
};

/** Fills a store by Python, moves it by a file, and reads both by Python. */
async function moved(
  home: TempHome,
  kinds: Kinds,
  format: ExportFormat,
): Promise<Record<"before" | "after", ReturnType<typeof readByPython>>> {
  const [from, to] = [home.file("from.db"), home.file("to.db")];
  for (const path of [from, to]) {
    using store = open(path);
    store.write("tables on request", (w) => w.exec(renderTable(TABLE_MODELS.session_daily_usage)));
  }
  fillByPython(from, kinds);
  const before = readByPython(from, TABLES);
  {
    using source = open(from);
    using target = open(to);
    const { text } = await exported(source, { format });
    expect(await imported(target, text)).toMatchObject({ imported: 20, messages: 400, failed: 0, detached: 0 });
  }
  expect(readByPython(from, TABLES)).toEqual(before);
  return { before, after: readByPython(to, TABLES) };
}

/** Compares cell by cell; what differs is told by its table, row and column. */
function differences(before: PythonTable, after: PythonTable, except: ReadonlySet<string>): string[] {
  expect(after.length).toBe(before.length);
  return before.flatMap((row, at) =>
    Object.entries(row)
      .filter(([column, cell]) => !except.has(column) && after[at]?.[column] !== cell)
      .map(([column, cell]) => `row ${at}, ${column}: ${cell} became ${String(after[at]?.[column])}`),
  );
}

const NONE: ReadonlySet<string> = new Set();

describePython("stores read by Python", () => {
  it("P20 POR-01 GND-02 shows Python every row and column of an import as in the source, whatever they hold", async () => {
    using home = tempHome();
    const { before, after } = await moved(home, ANYTHING, "jsonl");
    for (const name of Object.keys(TABLES)) {
      const except = name === "sessions" ? RUNTIME_COLUMNS : name === "messages" ? DERIVED_COLUMNS : NONE;
      expect([name, differences(before[name] ?? [], after[name] ?? [], except)]).toEqual([name, []]);
    }
  });

  it.each<[string, readonly string[], ReadonlySet<string>]>([
    ["of the assistant", ["assistant"], NONE],
    ["of others, which have no reasoning", ["user", "tool", "system"], REASONING_COLUMNS],
  ])("P20 POR-03 GND-02 shows Python rows %s as the peer's own format carries them", async (_title, roles, lacking) => {
    using home = tempHome();
    const { before, after } = await moved(home, { ...SAYABLE, roles }, "peer-jsonl");
    const given = new Set(["id", ...DERIVED_COLUMNS, ...lacking]);
    expect(differences(before["messages"] ?? [], after["messages"] ?? [], given)).toEqual([]);
    expect(differences(before["sessions"] ?? [], after["sessions"] ?? [], RUNTIME_COLUMNS)).toEqual([]);
    const prompts = before["system_prompts"] ?? [];
    expect(differences(prompts, after["system_prompts"] ?? [], NONE)).toEqual([]);
  });
});
