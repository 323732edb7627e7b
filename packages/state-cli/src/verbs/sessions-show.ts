import { contentText, toolCallParts, visibleText } from "@hermes/state-core";
import type { JsonValue, MessageContent, Session, StateStore } from "@hermes/state-core";
import { EXIT } from "../errors/exit-code.js";
import type { Output } from "../output/output.js";
import { present, shortTime } from "../output/present.js";
import { sanitizeLine } from "../output/sanitize.js";
import { openForReading } from "../store/open-store.js";
import { resolveSession, sessionNotFound } from "../store/resolve-session.js";
import type { Verb } from "../verb.js";

/** Options of `sessions show`. */
export interface SessionsShowOptions {
  readonly last?: number;
  readonly raw?: boolean;
}

/** What both ways of reading a session give. */
interface ShownMessage {
  readonly id?: number;
  readonly role: string;
  readonly content?: MessageContent | undefined;
  readonly timestampSeconds?: number | undefined;
  readonly toolName?: string | null | undefined;
  readonly toolCalls?: readonly JsonValue[] | null | undefined;
  readonly reasoning?: string | null | undefined;
  readonly active?: boolean | undefined;
  readonly compacted?: boolean | undefined;
}

const RAW_PAGE = 1000;

function readRaw(store: StateStore, id: string, last: number | undefined): ShownMessage[] {
  if (last !== undefined && last <= RAW_PAGE) {
    return [...store.messages.page(id, { limit: last, order: "newest", include: "all" }).messages].reverse();
  }
  const messages: ShownMessage[] = [];
  for (let cursor: string | undefined; ;) {
    const page = store.messages.page(id, { limit: RAW_PAGE, include: "all", ...(cursor !== undefined && { cursor }) });
    messages.push(...page.messages);
    cursor = page.nextCursor;
    if (cursor === undefined) return last === undefined ? messages : messages.slice(-last);
  }
}

function readShown(store: StateStore, id: string, options: SessionsShowOptions): readonly ShownMessage[] {
  const { last, raw } = options;
  if (raw) return readRaw(store, id, last);
  const loaded = store.messages.conversation(id, { includeRowIds: true }).messages;
  const messages = loaded.map(({ _persisted: _, ...message }) => message);
  return last === undefined ? messages : messages.slice(-last);
}

function sessionText(output: Output, session: Session, shown: number): string {
  const title = session.title ? `${output.colors.bold(sanitizeLine(session.title))}  ` : "";
  const facts = [
    `source ${session.source ?? "unknown"}`,
    session.model ? `model ${session.model}` : "",
    `started ${shortTime(session.startedAtSeconds)}`,
    session.endReason ? `ended (${session.endReason})` : "",
    session.parentSessionId ? `parent ${session.parentSessionId}` : "",
    `${shown} messages`,
  ].filter((fact) => fact !== "");
  return `${title}${sanitizeLine(session.id)}\n${output.colors.dim(sanitizeLine(facts.join(" · ")))}`;
}

function callLines(calls: readonly JsonValue[] | null | undefined): string[] {
  return (calls ?? []).map((call) => {
    const { name = "tool", arguments: args = "" } = toolCallParts(call);
    return `→ ${name}(${args})`;
  });
}

function messageText(output: Output, message: ShownMessage): string {
  const state = message.active === false ? (message.compacted ? " (archived by compaction)" : " (rewound)") : "";
  const tool = message.toolName ? ` ${message.toolName}` : "";
  const head = `${message.role}${tool}${state}  ${shortTime(message.timestampSeconds)}  #${message.id ?? "?"}`;
  const text = contentText(message.content ?? null);
  const shown = text === "" && message.content ? "[no text]" : text;
  const body = [shown, ...callLines(message.toolCalls)].filter((part) => part !== "").join("\n");
  const indented = visibleText(body).replace(/^(?=.)/gm, "  ");
  return `${output.colors.cyan(sanitizeLine(head))}\n${indented}`;
}

/** Shows one session: what the model sees of it, or with `--raw` every stored row. */
export const sessionsShow: Verb<SessionsShowOptions & { readonly text: string }> = async (context, options) => {
  const { output } = context;
  using store = openForReading(context);
  if (!store) throw sessionNotFound(options.text);
  const session = store.sessions.get(resolveSession(store, options.text));
  const messages = readShown(store, session.id, options);
  if (session.damaged.length > 0)
    output.notice(`warning: the session has unreadable values: ${session.damaged.join(", ")}`);
  if (output.mode === "json") await output.json(present({ session, messages }));
  else if (output.mode === "jsonl") for (const message of messages) await output.jsonl(present(message));
  else {
    await output.text(`${sessionText(output, session, messages.length)}\n`);
    for (const message of messages) await output.text(`${messageText(output, message)}\n`);
  }
  return EXIT.done;
};
