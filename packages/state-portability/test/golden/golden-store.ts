import type { StateStore } from "@hermes/state-core";

const SPOIL_SQL = "UPDATE messages SET active = ?, compacted = ? WHERE id = ?";

/** A session with something of every kind that formats show, carry or leave out. */
export function fillGoldenStore(store: StateStore): void {
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
