import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempHome } from "@hermes/testkit";
import type { ExportFormat } from "@hermes/state-portability";
import { expect, it } from "vitest";
import { exported, open } from "../support.js";
import { fillGoldenStore } from "./golden-store.js";

const GOLDEN: readonly (readonly [format: ExportFormat, file: string, leftOut: object])[] = [
  ["md", "session.md", { rewound: 1, hidden: 1 }],
  ["html", "session.html", { rewound: 1, hidden: 1 }],
  ["openai", "session.openai.jsonl", { archived: 1, rewound: 1, hidden: 1 }],
  ["sharegpt", "session.sharegpt.json", { archived: 1, rewound: 1, hidden: 1, parts: 1 }],
  ["atif", "session.atif.json", { archived: 1, rewound: 1, hidden: 1 }],
  ["jsonl", "session.jsonl", {}],
  ["peer-jsonl", "session.peer.jsonl", {}],
];

it.each(GOLDEN)("POR-04 %s matches the golden file %s, and says what it left out", async (format, file, leftOut) => {
  using home = tempHome();
  using store = open(home.statePath);
  fillGoldenStore(store);
  const { text, report } = await exported(store, { format });
  expect(text).toBe(readFileSync(fileURLToPath(new URL(file, import.meta.url)), "utf8"));
  expect(report.leftOut).toEqual(leftOut);
  expect(report.losses.length > 0).toBe(format !== "jsonl");
});
