import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempHome } from "@hermes/testkit";
import type { StateStore } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import { exported, open } from "./support.js";

const GOLDEN = fileURLToPath(new URL("golden/session.md", import.meta.url));
const SPOIL_SQL = "UPDATE messages SET active = ?, compacted = ? WHERE id = ?";

function fill(store: StateStore): void {
  store.sessions.create({
    id: "20260301_x",
    source: "cli",
    title: 'Say "hi": 旅行\u001b[31m',
    model: "m-1",
    cwd: "/srv/a b",
    startedAtSeconds: 1_769_000_000,
  });
  const at = (seconds: number): { timestampSeconds: number } => ({ timestampSeconds: 1_769_000_000 + seconds });
  const { ids } = {
    ids: store.messages
      .appendBatch("20260301_x", [
        { role: "user", content: "summarised away", ...at(1) },
        { role: "user", content: "taken back", ...at(2) },
        { role: "assistant", content: "[Summary] so far", compressedSummary: true, ...at(3) },
        {
          role: "user",
          content: [
            { type: "text", text: "看这张图\nplease" },
            { type: "image_url", image_url: { url: "data:," } },
          ],
          ...at(4),
        },
        {
          role: "assistant",
          content: "",
          reasoning: "First `ls`.\n```\ncode\n```",
          toolCalls: [{ id: "c1", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } }],
          ...at(5),
        },
        {
          role: "tool",
          toolName: "terminal",
          toolCallId: "c1",
          content: "a.txt\n````md\n# not a heading\n````\n\u001b[31mred\u0007",
          ...at(6.5),
        },
        { role: "assistant", content: "**Done**, see [a](./a.txt).\r\n\r\n", ...at(7) },
        { role: "user", content: "never shown", displayKind: "hidden", ...at(8) },
        { role: "user", content: null, ...at(9) },
      ])
      .map(({ id }) => id),
  };
  store.write("as compaction and rewind leave them", (w) => {
    w.run(SPOIL_SQL, [0, 1, ids[0] ?? 0]);
    w.run(SPOIL_SQL, [0, 0, ids[1] ?? 0]);
  });
}

describe("Markdown", () => {
  it("POR-04 matches the golden file", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    fill(store);
    const { text, report } = await exported(store, { format: "md" });
    expect(text).toBe(readFileSync(GOLDEN, "utf8"));
    expect(report.leftOut).toEqual({ rewound: 1, hidden: 1 });
    expect(report.losses.length).toBeGreaterThan(0);
  });

  it("POR-04 keeps its anchors when the session grows", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    fill(store);
    const anchors = (text: string): string[] => text.match(/<a id="[^"]+">/g) ?? [];
    const before = anchors((await exported(store, { format: "md" })).text);
    store.messages.append("20260301_x", { role: "user", content: "more" });
    const after = anchors((await exported(store, { format: "md" })).text);
    expect(before).toHaveLength(7);
    expect(after.slice(0, 7)).toEqual(before);
    expect(after).toHaveLength(8);
  });

  it("POR-04 lets no text of a message end the block it stands in, nor steer a terminal", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    fill(store);
    const { text } = await exported(store, { format: "md" });
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0008\u001b\u007f]/);
    expect(text).toContain("\n`````\na.txt\n````md");
  });
});
