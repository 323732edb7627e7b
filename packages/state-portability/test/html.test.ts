import { tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { exported, open } from "./support.js";
import { fillRichStore } from "./rich-store.js";

const PIXEL = "data:image/png;base64,iVBORw0KGgo=";

/** Attributes and elements by which a page runs something or asks for something. */
const ACTIVE =
  /<script|<iframe|<object|<embed|<link|<form|<svg|\son\w+\s*=|javascript:|src="(?!data:image\/)|href=|url\(/i;

describe("pages", () => {
  it("POR-04 runs nothing and fetches nothing, whatever the messages say", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "s", source: "cli", title: '<script>alert("t")</script>' });
    const evil = [
      '<img src=x onerror="alert(1)">',
      "</article></main><script>alert(1)</script>",
      "\u202etxt.exe\u001b[31m",
      "`</pre>`",
    ];
    for (const content of evil) store.messages.append("s", { role: "user", content });
    store.messages.append("s", {
      role: "tool",
      toolName: '"><svg onload=1>',
      content: [
        { type: "image_url", image_url: { url: PIXEL } },
        { type: "image_url", image_url: { url: "https://tracker.example/p.png" } },
        { type: "image_url", image_url: { url: 'data:image/svg+xml;base64,"><script>' } },
      ],
    });
    const { text } = await exported(store, { format: "html" });
    const tags = text.match(/<[^>]*>/g) ?? [];
    expect(tags.filter((tag) => ACTIVE.test(tag))).toEqual([]);
    expect(text.match(/<img /g)).toHaveLength(1);
    expect(text).toContain(`src="${PIXEL}"`);
    expect(text).toContain("default-src 'none'");
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("\u202e");
  });

  it("POR-04 is one whole document with an anchor for every message it shows, and says what it left out", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    fillRichStore(store);
    const { text, report } = await exported(store, { format: "html" });
    expect(text.startsWith("<!doctype html>")).toBe(true);
    expect(text.trimEnd().endsWith("</html>")).toBe(true);
    const anchors = text.match(/<article id="message-\d+"/g) ?? [];
    const left = Object.values(report.leftOut).reduce((sum, count) => sum + count, 0);
    expect(anchors.length + left).toBe(report.messages);
    expect(left).toBeGreaterThan(0);
    expect(text).toContain('name="viewport"');
    expect(text).toContain("@media print");
  });
});
