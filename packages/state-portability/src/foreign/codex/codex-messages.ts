import type { JsonValue } from "@hermes/state-core";
import type { ForeignMessage } from "../foreign-session.js";
import { countOf, textOf } from "../json.js";
import { answerOf, callOf, contentOf, isAnswer, isWrapper, thoughtOf } from "./codex-items.js";
import type { CodexLine } from "./codex-line.js";

/** A path that was rolled back. */
export interface CodexBranch {
  readonly messages: readonly ForeignMessage[];
  /** Uid of the message after which it begins. */
  readonly after: string | undefined;
}

/** What a thread says: the path it stands on, and those it went back from. */
export interface CodexTalk {
  readonly messages: readonly ForeignMessage[];
  readonly branches: readonly CodexBranch[];
}

type Draft = { -readonly [K in keyof ForeignMessage]: ForeignMessage[K] };

/** Builds messages from the items of a thread, line by line. */
class TalkBuilder {
  #messages: Draft[] = [];
  readonly #branches: CodexBranch[] = [];
  readonly #tools = new Map<string, string>();
  #thoughts: { text: string | undefined; item: JsonValue; line: CodexLine }[] = [];
  /** The last item belonged to a reply that may go on: a text and its calls are one message. */
  #open: Draft | undefined;

  /** @param echoes - The file has no message items: then what the surface was told stands for them. */
  constructor(private readonly echoes: boolean) {}

  take(line: CodexLine): void {
    if (line.type === "response_item") this.#item(line);
    else if (line.type === "compacted") this.#compact(line);
    else if (line.type === "event_msg") this.#event(line);
  }

  finish(): CodexTalk {
    this.#flushThoughts();
    return { messages: this.#messages, branches: this.#branches };
  }

  #item(line: CodexLine): void {
    const { kind, payload } = line;
    const call = callOf(line);
    if (kind === "reasoning") {
      this.#open = undefined;
      this.#thoughts.push({ ...thoughtOf(payload), line });
    } else if (call) {
      this.#tools.set(call.id, call.name);
      const reply = this.#reply(line);
      reply.toolCalls = [...(reply.toolCalls ?? []), call];
    } else if (isAnswer(kind)) {
      this.#add(answerOf(line, this.#tools));
    } else if (kind === "message") {
      this.#message(line);
    }
  }

  #message(line: CodexLine): void {
    const { role, content } = line.payload;
    if (role === "assistant") {
      this.#open = undefined;
      this.#reply(line).content = contentOf(content);
    } else if (role === "user" && !isWrapper(line.payload)) {
      this.#add({ uid: `line-${line.line}`, role: "user", content: contentOf(content), seconds: line.seconds });
    }
  }

  #event({ kind, payload, line, seconds }: CodexLine): void {
    if (kind === "thread_rolled_back") this.#rollBack(countOf(payload["num_turns"]));
    const text = textOf(payload["message"]);
    if (!this.echoes || text === undefined) return;
    if (kind === "user_message") this.#add({ uid: `line-${line}`, role: "user", content: text, seconds });
    if (kind === "agent_message") this.#add({ uid: `line-${line}`, role: "assistant", content: text, seconds });
  }

  /** What came before goes on as the summary; it stays searchable. */
  #compact({ payload, line, seconds }: CodexLine): void {
    this.#flushThoughts();
    for (const message of this.#messages) message.compacted = true;
    const content = textOf(payload["message"]) ?? null;
    this.#add({ uid: `line-${line}`, role: "user", content, seconds, summary: true });
  }

  #rollBack(turns: number): void {
    this.#flushThoughts();
    this.#open = undefined;
    const typed = this.#messages.flatMap(({ role, summary }, index) => (role === "user" && !summary ? [index] : []));
    const from = turns > 0 ? typed.at(-Math.min(turns, typed.length)) : undefined;
    if (from === undefined) return;
    this.#branches.push({ messages: this.#messages.slice(from), after: this.#messages[from - 1]?.uid });
    this.#messages = this.#messages.slice(0, from);
  }

  /** The reply that goes on, or a new one with the thoughts before it. */
  #reply({ line, seconds }: CodexLine): Draft {
    if (this.#open) return this.#open;
    const reply: Draft = { uid: `line-${line}`, role: "assistant", content: null, seconds };
    const texts = this.#thoughts.flatMap(({ text }) => text ?? []);
    if (texts.length > 0) reply.reasoning = texts.join("\n\n");
    if (this.#thoughts.length > 0) reply.reasoningItems = this.#thoughts.map(({ item }) => item);
    this.#thoughts = [];
    this.#messages.push(reply);
    this.#open = reply;
    return reply;
  }

  #add(message: Draft): void {
    this.#flushThoughts();
    this.#open = undefined;
    this.#messages.push(message);
  }

  /** Thoughts that led to nothing: the turn was stopped. They are kept as a reply of their own. */
  #flushThoughts(): void {
    const [first] = this.#thoughts;
    if (!first) return;
    this.#open = undefined;
    this.#reply(first.line);
    this.#open = undefined;
  }
}

/** Turns the own lines of a thread into messages. */
export function codexTalk(lines: readonly CodexLine[]): CodexTalk {
  const items = lines.some(({ type, kind }) => type === "response_item" && kind === "message");
  const builder = new TalkBuilder(!items);
  for (const line of lines) builder.take(line);
  return builder.finish();
}
