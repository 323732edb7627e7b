import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import type { NewMessage } from "@hermes/state-core";
import { seeded } from "./seeded.js";

const SESSIONS = 500;
const MESSAGES_PER_SESSION = 200;
const START = 1_700_000_000;

const SYLLABLES = "ba ko ri ten sul mer ga vo lin dra pex ot na fi hu zel".split(" ");
const COMMON_TEXT =
  "the error in deploy step failed because server did not answer and retry was not safe for a file with test build";

/** The words a corpus is made of, the frequent ones first. */
interface Lexicon {
  readonly common: readonly string[];
  readonly rare: readonly string[];
  readonly chinese: readonly string[];
}

function lexicon(random: () => number): Lexicon {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const rare = Array.from({ length: 20_000 }, () => pick(SYLLABLES) + pick(SYLLABLES) + pick(SYLLABLES));
  const han = (): string => String.fromCodePoint(0x4e00 + Math.floor(random() * 3_000));
  const chinese = Array.from({ length: 4_000 }, (_, index) => han() + han() + (index % 3 === 0 ? han() : ""));
  return { common: COMMON_TEXT.split(" "), rare, chinese };
}

/** Few words make most of a text, as in any language. */
function skewed<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() ** 3 * list.length)] as T;
}

function english(random: () => number, { common, rare }: Lexicon): string {
  const words = 20 + Math.floor(random() * 80);
  return Array.from({ length: words }, () => (random() < 0.5 ? skewed(random, common) : skewed(random, rare))).join(
    " ",
  );
}

function chinese(random: () => number, words: Lexicon): string {
  const clause = (): string =>
    Array.from({ length: 4 + Math.floor(random() * 6) }, () => skewed(random, words.chinese)).join("");
  const clauses = Array.from({ length: 3 + Math.floor(random() * 10) }, clause);
  return random() < 0.2 ? `${clauses.join("，")} ${skewed(random, words.common)}` : clauses.join("，");
}

function call(random: () => number, words: Lexicon): NewMessage {
  const command = `cd ${skewed(random, words.rare)}\nmake ${skewed(random, words.common)}`;
  const target = { name: "terminal", arguments: JSON.stringify({ command }) };
  return { role: "assistant", content: "", toolCalls: [{ id: "call", type: "function", function: target }] };
}

function messageAt(random: () => number, words: Lexicon, index: number, share: number): NewMessage {
  if (index % 10 === 8) return call(random, words);
  const text = random() < share ? chinese(random, words) : english(random, words);
  if (index % 10 === 9) return { role: "tool", toolName: "terminal", content: text };
  return { role: index % 2 === 0 ? "user" : "assistant", content: text };
}

/** A store of 100,000 messages, laid out when it is first asked for, and removed with its folder. */
export class SearchCorpus implements Disposable {
  readonly name: string;
  readonly #share: number;
  #folder: string | undefined;
  #chinese: readonly string[] = [];

  /** @param share - How much of the prose is Chinese, 0 to 1. */
  constructor(name: string, share: number) {
    this.name = name;
    this.#share = share;
  }

  get path(): string {
    if (this.#folder === undefined) {
      this.#folder = mkdtempSync(join(tmpdir(), "hermes-bench-search-"));
      this.#lay(join(this.#folder, "state.db"));
    }
    return join(this.#folder, "state.db");
  }

  /** Two characters each, from frequent to rare. */
  get twoCharacters(): readonly string[] {
    return [1, 4, 13, 40, 160, 400, 1_300, 2_600, 3_700].map((rank) => (this.#chinese[rank] ?? "").slice(0, 2));
  }

  [Symbol.dispose](): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #lay(path: string): void {
    const random = seeded(17);
    const words = lexicon(random);
    this.#chinese = words.chinese;
    using store = openStateStore({ path, durability: "normal" });
    for (let session = 0; session < SESSIONS; session++) {
      const id = `s${session}`;
      const startedAtSeconds = START + session * 1_000;
      store.sessions.create({ id, source: session % 3 === 0 ? "telegram" : "cli", startedAtSeconds });
      const messages = Array.from({ length: MESSAGES_PER_SESSION }, (_, index) => ({
        ...messageAt(random, words, index, this.#share),
        timestampSeconds: startedAtSeconds + index,
      }));
      store.messages.appendBatch(id, messages);
    }
  }
}
