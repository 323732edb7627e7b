import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { Output } from "./output.js";
import type { OutputOptions } from "./output.js";
import { progressLine, withProgress } from "./progress.js";

interface Screen {
  readonly output: Output;
  written(): string;
}

function screen(isTTY: boolean, options: Partial<OutputOptions> = {}): Screen {
  let text = "";
  const stream = (): Writable & { isTTY: boolean } =>
    Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          text += chunk.toString();
          done();
        },
      }),
      { isTTY },
    );
  const output = new Output(
    { mode: "human", quiet: false, color: false, ...options },
    { stdout: stream(), stderr: stream() },
  );
  return { output, written: () => text };
}

const step = (on: (progress: { phase: string; done: number; total: number }) => void): string => {
  on({ phase: "backfill", done: 500, total: 1000 });
  return "value";
};

it("SEA-12 a line shows a bar, a share and the phase; a count where the total is not known", () => {
  expect(progressLine("Upgrading", { phase: "backfill", done: 1500, total: 3000 })).toBe(
    `Upgrading: [${"=".repeat(12)}${" ".repeat(12)}]  50%  backfill 1,500/3,000`,
  );
  expect(progressLine("Upgrading", { phase: "teardown", done: 7, total: undefined })).toBe("Upgrading: teardown 7");
  expect(progressLine("Upgrading", { phase: "backfill", done: 0, total: 0 })).toContain("100%");
  expect(progressLine("Upgrading", { phase: "backfill", done: 9, total: 3 })).toContain("100%");
});

it("SEA-12 draws on a terminal only, and gives back what the operation returned", async () => {
  const terminal = screen(true);
  expect(await withProgress(terminal.output, "Upgrading", step)).toBe("value");
  expect(terminal.written()).toContain("Upgrading: ");
  for (const silent of [screen(false), screen(true, { quiet: true }), screen(true, { mode: "json" })]) {
    expect(await withProgress(silent.output, "Upgrading", step)).toBe("value");
    expect(silent.written()).toBe("");
  }
});

it("SEA-12 takes the bar away when the operation fails, and lets the error through", async () => {
  const terminal = screen(true);
  await expect(
    withProgress(terminal.output, "Upgrading", (on) => {
      step(on);
      throw new Error("mine");
    }),
  ).rejects.toThrow("mine");
  // The cursor is shown again.
  expect(terminal.written()).toContain("\u001b[?25h");
});
