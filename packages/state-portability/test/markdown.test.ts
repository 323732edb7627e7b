import { tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { settleMarkdown } from "../src/markdown/settle-markdown.js";
import { fillGoldenStore as fill } from "./golden/golden-store.js";
import { exported, open } from "./support.js";

describe("Markdown", () => {
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

  it.each([
    ["```js\ncode", "```js\ncode\n```"],
    ["~~~~\n```\n~~~", "~~~~\n```\n~~~\n~~~~"],
    ["  ```\n<b>\n", "  ```\n<b>\n  ```"],
    ["```\na\n```\n```\nb\n`````", "```\na\n```\n```\nb\n`````"],
    ["``` not`a fence\ntext", "``` not`a fence\ntext"],
    [
      "a < b, 1<2, <https://x.example> and `<b>` ``<a `id`>`` x",
      "a < b, 1<2, <https://x.example> and `<b>` ``<a `id`>`` x",
    ],
    ["x <!-- open", "x &lt;!-- open"],
    ["`open <b>\n\n`closed <i>", "`open &lt;b>\n\n`closed &lt;i>"],
    ['<a id="message-1"></a>', '&lt;a id="message-1">&lt;/a>'],
    ["    <indented>\n\n</script>", "    <indented>\n\n&lt;/script>"],
    ["", ""],
  ])("POR-04 what somebody wrote ends where it ends: %j", (text, settled) => {
    expect(settleMarkdown(text)).toBe(settled);
    expect(settleMarkdown(settled)).toBe(settled);
  });

  it("POR-04 COR-22 every message has its own anchor and heading outside of any block, whatever the others say", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "s", source: "cli", title: "# </title>\n<!-- ```" });
    const said = [
      "```",
      "~~~\n</details>",
      "<!--",
      "<details>",
      '<a id="message-3"></a>\n\n## user · fake',
      "<script>",
      "`",
    ];
    for (const content of said) {
      store.messages.append("s", { role: "user", content });
      store.messages.append("s", {
        role: "assistant",
        content,
        reasoning: content,
        toolCalls: [{ id: "c", type: "function", function: { name: `x\n# ${content}`, arguments: content } }],
      });
      store.messages.append("s", { role: "tool", toolName: `t\n\n${content}`, content });
    }
    const { text } = await exported(store, { format: "md" });
    expect(anchorsOutside(text)).toEqual(Array.from({ length: 3 * said.length }, (_, index) => `message-${index + 1}`));
  });
});

/** Anchors that a reader of Markdown obeys: outside of blocks of code and of comments. */
function anchorsOutside(text: string): string[] {
  const found: string[] = [];
  let open = "";
  for (const line of text.replace(/^---\n[^]*?\n---\n/, "").split("\n")) {
    const [, mark = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open !== "") open = mark.startsWith(open) && rest.trim() === "" ? "" : open;
    else if (mark !== "" && !(mark.startsWith("`") && rest.includes("`"))) open = mark;
    else {
      const shown = line.replace(/`[^`]*`/g, "");
      expect(shown).not.toMatch(/<(?!\/?(?:a|details|summary)\b)[a-z!/]/i);
      found.push(...[...shown.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id));
    }
  }
  expect(open).toBe("");
  return found;
}
