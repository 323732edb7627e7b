import type { NewMessage } from "@hermes/state-core";
import fc from "fast-check";

/** Words of many scripts, spelled so that folding, gluing and escaping matter. */
const WORDS = [
  ..."a b s x deploy Deploy DEPLOY deployed deploying docker cat concatenate youer creme brulee uber zoe kilo".split(" "),
  ..."Crème cre\u0301me BRÛLÉE ÜBER Zoë naïve \u212ailo fu\u017fs fuss straße Việt İstanbul istanbul".split(" "),
  ..."привет ПРИВЕТ Привет ёлка σς Δt µm шalom שלום مرحبا हिन्दी".split(" "),
  ..."修改 服务端 修改服务端 数据 数据库 数据库连接 大别山项目 中 日本語 の カタカナ ｶﾀｶﾅ 한국어 국 สวัสดี ဗမာ 𠀋𠀌 ㄅㄆ".split(" "),
  ..."🚀 🎉 ❤ ❤\ufe0f 👩\u200d👩\u200d👧 👩 👍🏽 👍 🇺🇸 🇫🇷🇺🇸 ©".split(" "),
  ..."1 2 100 1000 50 1.50 v1 v1.2.3 １２３ ＡＢＣ ① ٣".split(" "),
  ..."text type json content image_url null true u00e8 nword".split(" "),
];
const GLUE = ["", "", " ", " ", " ", "-", ".", "_", "%", "'", '"', "\\", "/", "，", "。", "—", "\n", "\t", "\0", "(", ")", "*"];
const OPERATORS = [" AND ", " OR ", " NOT ", " AND NOT ", " and ", " ", "  ", " NEAR ", " OR OR "];

const word = fc.constantFrom(...WORDS);
const glue = fc.constantFrom(...GLUE);
const operator = fc.constantFrom(...OPERATORS);

const text = fc
  .array(fc.tuple(word, glue), { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.map(([piece, between]) => piece + between).join(""));

const structured = fc.array(text, { minLength: 1, maxLength: 3 }).map((texts) => [
  { type: "image_url", image_url: { url: "data:image/png;base64,deploydocker" } },
  ...texts.map((part) => ({ type: "text", text: part })),
]);

/** Output whose words stand around the edge of the indexed prefix. */
const longOutput = fc
  .tuple(text, text, fc.integer({ min: 8150, max: 8192 }))
  .map(([before, after, length]) => `${before} ${"- ".repeat(length).slice(0, length - before.length - 1)}${after}`);

const toolCalls = fc.array(fc.tuple(fc.constantFrom("grep_repo", "terminal", "修改"), text), { maxLength: 2 }).map((calls) =>
  calls.map(([name, argument], index) => ({
    id: `call_${String(index)}`,
    type: "function",
    function: { name, arguments: JSON.stringify({ path: argument, deploy: [argument, index] }) },
  })),
);

const spoken: fc.Arbitrary<NewMessage> = fc.oneof(
  { weight: 5, arbitrary: text.map((content): NewMessage => ({ role: "user", content })) },
  { weight: 2, arbitrary: structured.map((content): NewMessage => ({ role: "user", content })) },
  {
    weight: 2,
    arbitrary: fc.tuple(text, toolCalls).map(([content, calls]): NewMessage => {
      return { role: "assistant", content, toolCalls: calls };
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.oneof(text, structured, longOutput), word).map(([content, toolName]): NewMessage => {
      return { role: "tool", content, toolName };
    }),
  },
  { weight: 1, arbitrary: fc.constant<NewMessage>({ role: "assistant", content: null }) },
);

/** A message and the session it belongs to: a plain one, a scheduled one, a subagent. */
export interface RandomMessage {
  readonly session: "cli" | "cron" | "subagent";
  readonly message: NewMessage;
}

/** Messages in which words, runs and emoji stand alone, glued together, in stored JSON and in tool calls. */
export const randomCorpus: fc.Arbitrary<RandomMessage[]> = fc.array(
  fc.record({
    session: fc.constantFrom("cli" as const, "cli" as const, "cron" as const, "subagent" as const),
    message: spoken,
  }),
  { minLength: 4, maxLength: 30 },
);

const atom = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 2, arbitrary: word.map((piece) => `${piece}*`) },
  { weight: 2, arbitrary: fc.tuple(word, glue, word).map((pieces) => pieces.join("")) },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([first, second]) => `"${first} ${second}"`) },
);

const clause = fc
  .tuple(atom, fc.array(fc.tuple(operator, atom), { maxLength: 3 }))
  .map(([first, more]) => first + more.map(([between, next]) => between + next).join(""));

/** Queries over the same words: terms, phrases, prefixes, operators in any number, groups. */
export const randomQuery: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: clause },
  { weight: 1, arbitrary: fc.tuple(clause, operator, clause).map(([a, between, b]) => `(${a})${between}(${b})`) },
);
