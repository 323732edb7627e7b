import { FTS_TABLE } from "@hermes/state-schema";
import type { FtsLayout } from "@hermes/state-schema";
import type { Half } from "./halves.js";

const PARTS = ["data", "idx", "docsize", "config"];

/** Tables that an index consists of and that the file does not have; without one of them nothing of it works. */
export function missingParts(names: ReadonlySet<string>, half: Half, layout: FtsLayout): string[] {
  const parts = layout === 0 ? [...PARTS, "content"] : PARTS;
  return parts.map((part) => `${FTS_TABLE[half]}_${part}`).filter((name) => !names.has(name));
}
