import type { TestRandom } from "@hermes/testkit";
import type { MessageSource } from "../../src/index.js";

/** What was said between two deliberate resets. */
export interface Epoch {
  /** Acknowledged, in the order of the acknowledgements. */
  readonly acked: string[];
  /** Said when the gateway was killed: stored once or not at all. */
  readonly maybe: Set<string>;
}

/** One conversation as the platform sees it: who may talk in it, and what was said. */
export interface Conversation {
  /** Begins everything that is said here. */
  readonly prefix: string;
  /** One person, or several who share a thread. */
  readonly sources: readonly MessageSource[];
  readonly epochs: Epoch[];
  sessionKey: string | undefined;
  said: number;
  busy: boolean;
}

/** Pieces of ids that a careless key would confuse: separators, escapes, twins of case, wide characters. */
const PIECES = ["a", "A", "b", "B", ":", ":", "%", "%3A", "-", "/", " ", "é", "É", "😀", "!", "agent:main"];
const PLATFORMS = ["telegram", "slack", "discord", "matrix", "signal"];

/** The first letter says what kind of id it is: where no id holds a colon, keys do not tell kinds apart. */
function id(random: TestRandom, kind: string): string {
  return kind + Array.from({ length: random.int(1, 4) }, () => random.pick(PIECES)).join("");
}

function place(random: TestRandom): { identity: string; sources: MessageSource[] } {
  const platform = random.pick(PLATFORMS);
  const chatType = random.pick(["dm", "dm", "group", "thread"]);
  const chatId = id(random, "c");
  const scope = platform === "slack" ? { scopeId: id(random, "s") } : {};
  const people = Array.from({ length: chatType === "thread" ? random.int(1, 3) : 1 }, () => id(random, "u"));
  const thread = chatType === "thread" || random.next() < 0.2 ? { threadId: id(random, "t") } : {};
  const shared = chatType === "dm" || thread.threadId !== undefined;
  const who = shared ? [] : people;
  const identity = JSON.stringify([platform, chatType, scope, chatId, thread, who]);
  const sources = people.map((userId) => ({ platform, chatType, chatId, userId, ...scope, ...thread }));
  return { identity, sources };
}

/** So many conversations, no two of them the same, many of them nearly. */
export function makeConversations(random: TestRandom, count: number): Conversation[] {
  const found = new Map<string, MessageSource[]>();
  while (found.size < count) {
    const { identity, sources } = place(random);
    if (!found.has(identity)) found.set(identity, sources);
  }
  return [...found.values()].map((sources, n) => ({
    prefix: `p${String(n)}-`,
    sources,
    epochs: [{ acked: [], maybe: new Set() }],
    sessionKey: undefined,
    said: 0,
    busy: false,
  }));
}
