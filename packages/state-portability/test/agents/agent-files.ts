import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describeWith, repoRoot } from "@hermes/testkit";

/** Folder of sample transcripts that other programs' shapes are known by, where this machine has it. */
export function agentFolder(format: string): string {
  return resolve(repoRoot(), "..", "shared", "fixtures", "agents", format);
}

/** A `describe` over those samples; skipped with a message where they are absent. */
export function describeAgent(format: string, define: () => void): void {
  const folder = agentFolder(format);
  const absence = "the folder of sample transcripts is absent";
  describeWith(existsSync(join(folder, "SHAPE.md")), absence, `samples of ${format}`, define);
}
