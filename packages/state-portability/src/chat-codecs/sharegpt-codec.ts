import type { ExportCodec } from "../export/export-codec.js";
import type { ViewedMessage } from "../rows/view-message.js";
import { exportableMessages } from "./exportable-messages.js";

const FROM: Readonly<Record<string, string>> = {
  user: "human",
  assistant: "gpt",
  tool: "observation",
  system: "system",
};

/** ShareGPT: one array of `{id, conversations: [{from, value}]}`, as training tools read it (POR-04). */
export const sharegptCodec: ExportCodec = {
  format: "sharegpt",
  mediaType: "application/json",
  extension: ".json",
  losses: [
    "Rewound and archived messages, and messages hidden from display, are left out.",
    "Pictures and other parts that are no text are left out; calls keep name and arguments, not their ids.",
    "Times, token counts, costs, reasoning, titles and lineage have no place in this format.",
  ],
  begin: () => ["[\n"],
  *session(document, position) {
    const losses: Record<string, number> = {};
    yield `${position > 0 ? ",\n" : ""}{"id":${JSON.stringify(document.id)},"conversations":[`;
    let separator = "";
    for (const message of exportableMessages(document, losses)) {
      for (const item of itemsOf(message)) {
        yield separator + JSON.stringify(item);
        separator = ",";
      }
      const parts = partsLeftOut(message);
      if (parts > 0) losses["parts"] = (losses["parts"] ?? 0) + parts;
    }
    yield "]}";
    return losses;
  },
  end: () => ["\n]\n"],
};

/** A reply that says something and calls tools becomes several items. */
function* itemsOf({ role, text, calls }: ViewedMessage): Generator<{ from: string; value: string }> {
  if (text !== "" || calls.length === 0) yield { from: FROM[role] ?? "human", value: text };
  for (const call of calls) yield { from: "function_call", value: JSON.stringify(argumentsOf(call)) };
}

function argumentsOf({ name, arguments: text }: ViewedMessage["calls"][number]): { name: string; arguments: unknown } {
  try {
    return { name, arguments: JSON.parse(text) as unknown };
  } catch {
    // What a model wrote need not be JSON; then its text is the argument.
    return { name, arguments: text };
  }
}

function partsLeftOut({ content }: ViewedMessage): number {
  if (!Array.isArray(content)) return 0;
  return (content as { type?: unknown }[]).filter(({ type }) => type !== "text").length;
}
