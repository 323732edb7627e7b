import { readFileSync } from "node:fs";
import { repoRoot } from "@hermes/testkit";
import { expect, it } from "vitest";
import * as gateway from "../src/index.js";

const page = readFileSync(`${repoRoot()}/docs/gateway-resets.md`, "utf8");

/** The block of a language that comes after a mark. */
function block(after: string, language: string): string {
  const rest = page.slice(page.indexOf(after));
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(rest)?.[1] ?? "";
}

it("GWS-09 the example of the page prints what stands there", () => {
  const body = block("<!-- example -->", "ts")
    .replace(/^import .*$/m, "")
    .replace("(time: string): number", "(time)");
  const lines: string[] = [];
  const print = { log: (...words: string[]) => lines.push(words.join(" ").trimEnd()) };
  // The page is ours; it is run so that it cannot grow old.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const run = new Function("simulateReset", "console", body) as (simulate: unknown, out: unknown) => void;
  run(gateway.simulateReset, print);
  expect(lines).toEqual(block("console.log", "text").trimEnd().split("\n"));
});

it("GWS-03 the table of the page names every setting, with its default", () => {
  const settings = gateway.DEFAULT_RESET_POLICY;
  for (const [name, value] of Object.entries(settings)) {
    const row = page.split("\n").find((line) => line.startsWith("|") && line.includes(`\`${name}\``));
    expect(row, name).toBeDefined();
    for (const shown of [value].flat()) expect(row).toContain(String(shown));
  }
});
