import { readFileSync } from "node:fs";

/** A fenced block of a README that is to be run, and what it says that it prints. */
export interface ReadmeExample {
  readonly language: "ts" | "sh";
  readonly code: string;
  /** In order; each is part of the output. */
  readonly prints: readonly string[];
}

const FENCE = /^```(ts|sh)\n([\s\S]*?)^```$/gm;
const PRINTS = /(?:\/\/|#) prints: (.*)$/gm;

/** Blocks that install the package, or that need a clone, show a command and are not examples. */
const COMMAND = /^(?:npm|npx) /m;

/** The examples of one README, in order. */
export function readmeExamples(path: string): readonly ReadmeExample[] {
  const blocks = [...readFileSync(path, "utf8").matchAll(FENCE)].map(([, language, code]) => ({
    language: language as "ts" | "sh",
    code: code ?? "",
  }));
  return blocks
    .filter(({ code }) => !COMMAND.test(code))
    .map((block) => ({ ...block, prints: [...block.code.matchAll(PRINTS)].map(([, text]) => text ?? "") }));
}
