import { describe, expect, it } from "vitest";
import { parseQuery } from "./parse-query.js";
import type { QueryNode } from "./query.js";

/** The tree as text: words, `[a.b]` for what stands together, `a*` for a prefix, `(a & b & !c)`, `(a | b)`. */
function show(node: QueryNode): string {
  switch (node.type) {
    case "term": {
      const text = node.atoms.map((atom) => atom.text).join(".") + (node.prefix ? "*" : "");
      return node.atoms.length > 1 ? `[${text}]` : text;
    }
    case "and":
      return `(${[...node.all.map(show), ...node.none.map((member) => `!${show(member)}`)].join(" & ")})`;
    case "or":
      return `(${node.any.map(show).join(" | ")})`;
  }
}

function tree(text: string): string {
  const { root } = parseQuery(text);
  return root ? show(root) : "";
}

const TREES: readonly (readonly [string, string])[] = [
  ["deploy", "deploy"],
  ["Crème BRÛLÉE", "(creme & brulee)"],
  ["a b c", "(a & b & c)"],
  ["a AND b", "(a & b)"],
  ["a OR b", "(a | b)"],
  ["a b OR c d", "((a & b) | (c & d))"],
  ["a OR b AND c", "(a | (b & c))"],
  ["a NOT b", "(a & !b)"],
  ["a AND NOT b", "(a & !b)"],
  ["a NOT b c", "(a & c & !b)"],
  ["NOT a b", "(b & !a)"],
  ["a NOT (b c)", "(a & !(b & c))"],
  ["a NOT (b OR c)", "(a & !b & !c)"],
  ["a NOT (b NOT c)", "(a & !(b & !c))"],
  ["a (NOT b)", "(a & !b)"],
  ["NOT (NOT a)", "a"],
  ["(a OR b) c", "((a | b) & c)"],
  ["((a))", "a"],
  ["a (b", "(a & b)"],
  ["a) b", "(a & b)"],
  [") a (", "a"],
  ["()", ""],
  ["a () b", "(a & b)"],
  ["a AND OR b", "(a | b)"],
  ["a OR AND b", "(a & b)"],
  ["a OR NOT b", "(a & !b)"],
  ["a NOT OR b", "(a | b)"],
  ["AND a OR", "a"],
  ["OR OR a AND AND", "a"],
  ["a or b and c not d", "(a & or & b & and & c & not & d)"],
  ["a a A á", "a"],
  ["a OR a", "a"],
  ['"a b"', "[a.b]"],
  ['"a b', "(a & b)"],
  ['a" b', "(a & b)"],
  ['"" a', "a"],
  ['"a AND b"', "[a.and.b]"],
  ['"a ba"*', "[a.ba*]"],
  ['x"a b"y', "(x & [a.b] & y)"],
  ["foo-bar", "[foo.bar]"],
  ["foo.bar_baz/qux", "[foo.bar.baz.qux]"],
  ["it's", "[it.s]"],
  ["-dash dash-", "dash"],
  ["a->b()", "[a.b]"],
  ["C:\\Users", "[c.users]"],
  ["content:deploy", "[content.deploy]"],
  ["`tick`", "tick"],
  ["a\u0000b", "(a & b)"],
  ["a\u001bb\u2028c\u3000d", "(a & b & c & d)"],
  ["dep*", "dep*"],
  ["dep**", "dep*"],
  ["*dep", "dep"],
  ["dep *", "dep"],
  ["a*b", "(a* & b)"],
  ["foo-ba*", "[foo.ba*]"],
  ["foo-*", "foo"],
  ["服务端*", "服务端"],
  ["修改youer服务端", "[修改.youer.服务端]"],
  ["100%了", "[100.了]"],
  ["大别山。", "大别山"],
  ["检索テスト", "检索テスト"],
  ["🎉party", "[🎉.party]"],
  ["❤\ufe0f", "❤"],
  ["helloпривет", "[hello.привет]"],
  ["v1.2.3", "[v1.2.3]"],
  ["NEAR", "near"],
  ["a NEAR b", "(a & near & b)"],
  ["NEAR(a b)", "(a & b)"],
  ["NEAR(a b, 5)", "(a & b)"],
  ["NEAR(a b, 5) OR c", "((a & b) | c)"],
  ["a NEAR/3 b", "(a & b)"],
  ["near(a)", "(near & a)"],
  ['"x y" \u0000Q0\u0000', "([x.y] & q0)"],
];

describe("parseQuery", () => {
  for (const [text, expected] of TREES) {
    it(`SEA-01 SEA-02 reads ${JSON.stringify(text)}`, () => {
      expect(tree(text)).toBe(expected);
    });
  }

  it("SEA-01 gives a hint when a query finds nothing by itself", () => {
    const hint = (text: string): unknown => [parseQuery(text).root, parseQuery(text).hint];
    expect(hint("")).toEqual([undefined, "empty"]);
    expect(hint(" \t")).toEqual([undefined, "empty"]);
    for (const text of ["AND OR NOT", "...", "( )", "***", "。", '""']) expect(hint(text), text).toEqual([undefined, "nothing-to-find"]);
    for (const text of ["NOT docker", "NOT NOT docker", "(NOT a) OR (NOT b)", "NOT a NOT b"]) {
      expect(hint(text), text).toEqual([undefined, "only-negative"]);
    }
  });

  it("SEA-01 leaves an alternative out that only says what must not be there, and says so", () => {
    expect(tree("a OR (NOT b)")).toBe("a");
    expect(parseQuery("a OR (NOT b)").hint).toBe("negative-alternative");
    expect(parseQuery("a OR b").hint).toBeUndefined();
  });

  it("SEA-02 cuts after 2,048 characters at the edge of a token", () => {
    const query = parseQuery(`${"deploy ".repeat(292)}deployment`);
    expect(query.root && show(query.root)).toBe("deploy");
    expect(query.hint).toBe("cut");
    expect(parseQuery("x".repeat(3000))).toMatchObject({ root: undefined, hint: "cut" });
    expect(tree("中".repeat(3000))).toBe("中".repeat(2048));
    expect(tree(`${"𠀋".repeat(2047)} end`)).toBe("𠀋".repeat(2047));
    expect(parseQuery("x".repeat(2048)).hint).toBeUndefined();
  });

  it("SEA-01 refuses what is no text", () => {
    expect(() => parseQuery(undefined as never)).toThrow(TypeError);
  });
});
