import { createHash } from "node:crypto";
import type { StateStore } from "@hermes/state-core";

const INSERT_MESSAGE = `INSERT INTO messages (session_id, role, content, timestamp, active, compacted, _compressed_summary)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;

/**
 * Fills a store with everything that must survive a round trip (P20): structured content, tool calls and results,
 * reasoning, a parent chain, titles, flags, token counts, rows that were compacted and rewound, an empty session, a
 * message of 5 MB, emoji, NUL and a lone surrogate.
 */
export function fillRichStore(store: StateStore): void {
  const { sessions, messages } = store;
  sessions.create({
    id: "rich",
    source: "cli",
    title: "Die Reise nach 桂林",
    model: "m-1",
    modelConfig: { temperature: 0.5, _x: [1, 2.5, null] },
    systemPrompt: "You are a careful agent. 请谨慎。",
    cwd: "/srv/reise",
    startedAtSeconds: 1_769_000_000.25,
    toolNames: ["terminal", "read_file"],
  });
  messages.appendBatch("rich", [
    {
      role: "user",
      content: [
        { type: "text", text: "look 看" },
        { type: "image_url", image_url: { url: "data:," } },
      ],
    },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c1", type: "function", function: { name: "terminal", arguments: '{"command":"ls /été"}' } }],
      reasoning: "think 思考",
      reasoningContent: "",
      reasoningDetails: [{ type: "reasoning.text", text: "deep", n: 1e21 }],
      codexReasoningItems: [{ id: "rs_1" }],
      codexMessageItems: [{ id: "m_1" }],
      finishReason: "tool_calls",
      tokenCount: 12,
    },
    {
      role: "tool",
      content: '{"output": "ok"}',
      toolCallId: "c1",
      toolName: "terminal",
      effectDisposition: "committed",
    },
    {
      role: "assistant",
      content: "emoji 👩‍👩‍👧 rtl שלום crlf\r\nline nul\u0000mid",
      finishReason: "stop",
      apiContent: "exact  ",
    },
    { role: "user", content: "lone \ud800 surrogate", platformMessageId: "pm-1", observed: true },
    { role: "user", content: "\u0000json:not really", displayKind: "hidden", displayMetadata: { a: [1] } },
    { role: "user", content: null },
    { role: "user", content: "" },
    { role: "assistant", content: "x".repeat(5_000_000) },
  ]);
  sessions.create({
    id: "child",
    source: "subagent",
    parentSessionId: "rich",
    modelConfig: { _delegate_from: "rich" },
  });
  messages.append("child", { role: "user", content: "delegated work", timestampSeconds: 1_769_000_100 });
  sessions.create({ id: "empty", source: "telegram", sessionKey: "tg:1", chatId: "c1" });
  sessions.create({
    id: "a-branch",
    source: "cli",
    parentSessionId: "child",
    title: "Zweig",
    modelConfig: { _branched_from: "child" },
  });
  sessions.end("empty", "session_reset");
  store.write("spoil for a test", (w) => {
    w.run(INSERT_MESSAGE, ["child", "user", "was compacted 归档", 1_769_000_001, 0, 1, 0]);
    w.run(INSERT_MESSAGE, ["child", "user", "was rewound", 1_769_000_002, 0, 0, 0]);
    w.run(INSERT_MESSAGE, ["child", "assistant", "summary of the above", 1_769_000_003, 1, 0, 1]);
    w.run(
      "UPDATE sessions SET archived = 1, pinned = 1, input_tokens = 123456789012, rewind_count = 2 WHERE id = 'child'",
    );
    w.run("UPDATE sessions SET estimated_cost_usd = 0.1, last_read_at = 1769000200.5, hidden = 1 WHERE id = 'rich'");
    w.run(
      "INSERT INTO session_model_usage (session_id, model, task, input_tokens, estimated_cost_usd) VALUES ('rich', 'm-1', '', 7, 0.25), ('rich', 'm-1', 'background_review', 1, 0)",
    );
  });
}

/** SHA-256 of a text in hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
