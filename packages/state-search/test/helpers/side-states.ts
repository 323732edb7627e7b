import { rmSync, statSync } from "node:fs";
import type { StateStore } from "@hermes/state-core";
import { damage } from "@hermes/testkit";
import { catchUpSideIndex, dropSideIndex } from "../../src/index.js";
import { stepSideIndex } from "../../src/side-index/catch-up.js";
import { closeSideFile, sidePath } from "../../src/side-index/side-file.js";
import { INDEX_STATES, relayout, type IndexStateCase } from "./index-states.js";

function countMessages(store: StateStore): number {
  return store.read((r) => r.get<{ n: number }>("SELECT count(*) AS n FROM messages")?.n ?? 0);
}

/** Brings the side index up to date, or fails: a test of it must not pass without one. */
export function freshSide(store: StateStore): void {
  const { outcome } = catchUpSideIndex(store);
  if (outcome !== "done") throw new Error("The side index could not be brought up to date.");
}

/** Gives a store a side index that holds about the first half of its messages. */
export function halfSide(store: StateStore): void {
  dropSideIndex(store.path);
  stepSideIndex(store, { rows: Math.ceil(countMessages(store) / 2), characters: 1_000_000 }, 1_000);
}

/** Spoils a file that holds an up-to-date side index, while this process does not have it open. */
export function spoilSide(store: StateStore, spoil: (path: string, bytes: number) => void): void {
  freshSide(store);
  const path = sidePath(store.path);
  closeSideFile(path);
  spoil(path, statSync(path).size);
}

function onLayout(name: string, layout: 0 | 1 | 2 | 3, enter: (store: StateStore) => void): IndexStateCase {
  return {
    name: `layout ${String(layout)}, side index ${name}`,
    enter: (store) => {
      relayout(store, layout);
      enter(store);
      return store;
    },
  };
}

const PAGE = 4096;

/** Ways to spoil a side file that the engine notices. */
export const SPOILT: readonly { readonly name: string; spoil(path: string, bytes: number): void }[] = [
  { name: "deleted", spoil: (path) => rmSync(path) },
  { name: "cut short", spoil: (path) => damage.cut(path, 0.4) },
  { name: "emptied", spoil: (path) => damage.cut(path, 0) },
  { name: "of another kind", spoil: (path) => damage.replace(path, Buffer.from("no database\n".repeat(1000))) },
  { name: "with a lost page", spoil: (path, bytes) => damage.zero(path, Math.floor(bytes / PAGE / 2) * PAGE, PAGE) },
  { name: "with its first pages lost", spoil: (path) => damage.zero(path, 0, 3 * PAGE) },
];

/** States of the side index, beside layouts that it follows; the rest of {@link SPOILT} is tested by itself. */
const SIDE_STATES: readonly IndexStateCase[] = [
  onLayout("fresh", 3, freshSide),
  onLayout("fresh", 0, freshSide),
  onLayout("half caught up", 3, halfSide),
  ...SPOILT.filter(({ name }) => name === "deleted" || name.includes("lost")).map(({ name, spoil }) =>
    onLayout(name, 3, (store) => {
      spoilSide(store, spoil);
    }),
  ),
];

/** Every state of the indexes of a file and of the file beside it. */
export const ALL_STATES: readonly IndexStateCase[] = [...INDEX_STATES, ...SIDE_STATES];
