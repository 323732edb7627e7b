import { writeFileSync } from "node:fs";
import type * as Fs from "node:fs";
import { tempDir, testClock } from "@hermes/testkit";
import { describe, expect, it, vi } from "vitest";
import { prepareForWriting } from "./prepare-file.js";

/** A log that is there for whoever asks, and gone for whoever opens it: another process has just closed. */
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof Fs>();
  return { ...fs, existsSync: (path: string) => path.endsWith("-wal") || fs.existsSync(path) };
});

describe("a file that is prepared for writing", () => {
  it("GND-02 has a log that another process takes away in this moment", () => {
    using dir = tempDir();
    const path = dir.file("state.db");
    writeFileSync(path, "");
    expect(() => prepareForWriting(path, testClock())).not.toThrow();
  });
});
