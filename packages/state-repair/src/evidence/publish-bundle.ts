import { dirname } from "node:path";
import { syncFolder } from "@hermes/state-core";
import { removeFile } from "./remove-file.js";

/** A staged copy and the name it gets. */
export interface StagedPart {
  readonly suffix: string;
  readonly staging: string;
  readonly target: string;
}

/**
 * Gives staged copies their final names, sidecars first and the main file last: its name is what makes a bundle. On
 * any failure every name already given is taken back (REP-02).
 *
 * @param rename - Moves one file.
 * @throws whatever the failing step threw.
 */
export function publishBundle(parts: readonly StagedPart[], rename: (from: string, to: string) => void): void {
  const published: string[] = [];
  try {
    for (const { staging, target } of [...parts].sort((a, b) => b.suffix.length - a.suffix.length)) {
      rename(staging, target);
      published.push(target);
    }
    for (const folder of new Set(parts.map((part) => dirname(part.target)))) syncFolder(folder);
  } catch (error) {
    // The main name first, so that a stop in between leaves nothing that counts.
    for (const target of published.reverse()) removeFile(target);
    throw error;
  }
}
