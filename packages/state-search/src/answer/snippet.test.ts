import { describe, expect, it } from "vitest";
import { parseQuery } from "../language/parse-query.js";
import { positiveTerms } from "../language/tree.js";
import { snippetOf } from "./snippet.js";

function snippet(query: string, ...texts: string[]): string {
  const { root } = parseQuery(query);
  return root ? snippetOf(texts, positiveTerms(root)) : "";
}

function shown(text: string): string {
  return text.replaceAll(">>>", "").replaceAll("<<<", "");
}

describe("snippetOf", () => {
  it("SEA-05 marks every match, as written, and nothing that must not be there", () => {
    expect(snippet("creme cafe", "Crème at the CAFÉ, cre\u0301me")).toBe(">>>Crème<<< at the >>>CAFÉ<<<, >>>cre\u0301me<<<");
    expect(snippet("foo-bar", "a foo.bar and foobar")).toBe("a >>>foo.bar<<< and foobar");
    expect(snippet("deploy*", "deployed, redeployed")).toBe(">>>deployed<<<, redeployed");
    expect(snippet("a NOT b", "a b a")).toBe(">>>a<<< b >>>a<<<");
  });

  it("SEA-05 marks the match inside an unsegmented run", () => {
    expect(snippet("别山", "大别山项目")).toBe("大>>>别山<<<项目");
    expect(snippet("youer服务", "请修改youer服务端")).toBe("请修改>>>youer服务<<<端");
    expect(snippet("改youer", "请修改youer服务端")).toBe("请修>>>改youer<<<服务端");
    expect(snippet("🚀", "to the moon 🚀🚀")).toBe("to the moon >>>🚀<<<🚀");
    expect(snippet("❤", "love ❤\ufe0f now")).toBe("love >>>❤\ufe0f<<< now");
  });

  it("SEA-05 shows the stretch around the first match, also when it stands far into the text", () => {
    const text = `${"word ".repeat(2000)}NEEDLE ${"more ".repeat(2000)}`;
    const found = snippet("needle", text);
    expect(found).toContain(">>>NEEDLE<<<");
    expect(found.startsWith("...")).toBe(true);
    expect(found.endsWith("...")).toBe(true);
    expect(found.length).toBeLessThanOrEqual(220);
  });

  it("R23 SEA-05 caps one long token in characters and never cuts a character", () => {
    const found = snippet("w*", `w${"x".repeat(5000)}`);
    expect(found.length).toBeLessThanOrEqual(220);
    const wide = snippet("𠀋", `x ${"𠀋".repeat(3000)}`);
    expect(wide.length).toBeLessThanOrEqual(220);
    expect(wide.isWellFormed()).toBe(true);
    expect(snippet("needle", `${"𠀋".repeat(101)} needle ${"𠀋".repeat(300)}`).isWellFormed()).toBe(true);
  });

  it("SEA-05 takes the text that shows most of the terms", () => {
    expect(snippet("alpha beta", "alpha only", "beta and alpha", "grep")).toBe(">>>beta<<< and >>>alpha<<<");
  });

  it("SEA-05 leaves short text whole", () => {
    expect(shown(snippet("needle", "a needle\nin two lines"))).toBe("a needle\nin two lines");
  });
});
