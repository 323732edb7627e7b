import type { JsonValue } from "@hermes/state-core";
import { exactJson } from "../../lines/exact-json.js";
import { derivedId } from "../derived-id.js";
import type { ForeignMessage } from "../foreign-session.js";
import { countOf, textOf } from "../json.js";
import { answerOf, callOf, contentOf, isAnswer, thoughtOf, typedBy } from "./codex-items.js";
import type { CodexLine, OwnPart } from "./codex-line.js";

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
  /** Uids of the messages after which tokens were counted, by line. */
  readonly counted: ReadonlyMap<number, string>;
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

  readonly #counted = new Map<number, string>();
  #unnamed = 0;
  #before: string;

  /**
   * @param seed - Of the names of messages, which have none in the file: each is named by what it begins with and by
   * what came before, so that a copy of the talk has the same names in whichever lines it stands.
   * @param echoes - The file has no message items: then what the surface was told stands for them.
   * @param typed - What the surface was told that the user typed.
   */
  constructor(
    seed: string,
    private readonly echoes: boolean,
    private readonly typed: ReadonlySet<string>,
  ) {
    this.#before = seed;
  }

  take(line: CodexLine): void {
    if (line.type === "response_item") this.#item(line);
    else if (line.type === "compacted") this.#compact(line);
    else if (line.type === "event_msg") this.#event(line);
  }

  finish(): CodexTalk {
    this.#flushThoughts();
    return { messages: this.#messages, branches: this.#branches, counted: this.#counted };
  }

  #name(...says: readonly unknown[]): string {
    return (this.#before = derivedId(this.#before, exactJson(says)));
  }

  #item(line: CodexLine): void {
    const { kind, payload } = line;
    const call = callOf(line, `unnamed-${this.#unnamed}`);
    if (call?.id === `unnamed-${this.#unnamed}`) this.#unnamed += 1;
    if (kind === "reasoning") {
      this.#open = undefined;
      this.#thoughts.push({ ...thoughtOf(payload), line });
    } else if (call) {
      this.#tools.set(call.id, call.name);
      const reply = this.#reply(line, "call", call);
      reply.toolCalls = [...(reply.toolCalls ?? []), call];
    } else if (isAnswer(kind)) {
      const answer = answerOf(line, this.#tools);
      this.#add(answer, "answer", answer.toolCallId, answer.content);
    } else if (kind === "message") {
      this.#message(line);
    }
  }

  #message(line: CodexLine): void {
    const { role, content } = line.payload;
    if (role === "assistant") {
      this.#open = undefined;
      const said = contentOf(content);
      this.#reply(line, "says", said).content = said;
    } else if (role === "user") {
      const said = typedBy(line.payload, this.typed);
      if (said !== undefined) this.#add({ role: "user", content: said, seconds: line.seconds }, "user", said);
    }
  }

  #event({ kind, payload, line, seconds }: CodexLine): void {
    if (kind === "thread_rolled_back") this.#rollBack(countOf(payload["num_turns"]));
    const last = this.#messages.at(-1);
    if (kind === "token_count" && last) this.#counted.set(line, last.uid);
    const text = textOf(payload["message"]);
    if (!this.echoes || text === undefined) return;
    if (kind === "user_message") this.#add({ role: "user", content: text, seconds }, "user", text);
    if (kind === "agent_message") this.#add({ role: "assistant", content: text, seconds }, "says", text);
  }

  /** What came before goes on as the summary; it stays searchable. */
  #compact({ payload, seconds }: CodexLine): void {
    this.#flushThoughts();
    for (const message of this.#messages) message.compacted = true;
    const content = textOf(payload["message"]) ?? null;
    this.#add({ role: "user", content, seconds, summary: true }, "compacted", content);
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
  #reply({ seconds }: CodexLine, ...says: readonly unknown[]): Draft {
    if (this.#open) return this.#open;
    const reply: Draft = { uid: this.#name(...says), role: "assistant", content: null, seconds };
    const texts = this.#thoughts.flatMap(({ text }) => text ?? []);
    if (texts.length > 0) reply.reasoning = texts.join("\n\n");
    if (this.#thoughts.length > 0) reply.reasoningItems = this.#thoughts.map(({ item }) => item);
    this.#thoughts = [];
    this.#messages.push(reply);
    this.#open = reply;
    return reply;
  }

  #add(message: Omit<Draft, "uid">, ...says: readonly unknown[]): void {
    this.#flushThoughts();
    this.#open = undefined;
    this.#messages.push({ uid: this.#name(...says), ...message });
  }

  /** Thoughts that led to nothing: the turn was stopped. They are kept as a reply of their own. */
  #flushThoughts(): void {
    const [first] = this.#thoughts;
    if (!first) return;
    this.#open = undefined;
    this.#reply(first.line, "thought", first.text);
    this.#open = undefined;
  }
}

/** Turns the own part of a thread into messages. */
export function codexTalk({ lines, seed }: OwnPart): CodexTalk {
  const items = lines.some(({ type, kind }) => type === "response_item" && kind === "message");
  const typed = lines
    .filter(({ type, kind }) => type === "event_msg" && kind === "user_message")
    .flatMap(({ payload }) => textOf(payload["message"]) ?? []);
  const builder = new TalkBuilder(seed, !items, new Set(typed));
  for (const line of lines) builder.take(line);
  return builder.finish();
}
