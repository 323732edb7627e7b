import { setImmediate } from "node:timers/promises";
import { throwIfAborted } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import { NeedleSet } from "./needle-set.js";
import { textCells } from "./text-cells.js";
import type { Read } from "./text-cells.js";
import { folded, isLongEnough, needlesOf } from "./text-needles.js";

const MOST_CANARIES = 50_000;
const CELLS_PER_PAUSE = 2_000;

async function eachText(
  texts: Iterable<string>,
  phase: string,
  { onProgress, signal }: ProgressOptions,
  fn: (text: string) => void,
): Promise<void> {
  let done = 0;
  for (const text of texts) {
    fn(text);
    done += 1;
    if (done % CELLS_PER_PAUSE !== 0) continue;
    onProgress?.({ phase, done, total: undefined });
    throwIfAborted(signal);
    await setImmediate();
  }
}

/**
 * Collects what tells that a byte of the sessions is still there: texts of theirs, in every spelling, that no other row
 * has. Call it before they are deleted.
 *
 * @param sessionIds - All sessions that go, delegates among them.
 */
export async function collectCanaries(
  read: Read,
  sessionIds: readonly string[],
  options: ProgressOptions,
): Promise<NeedleSet> {
  const texts = new Set<string>();
  await eachText(textCells(read, "erased", sessionIds), "collect", options, (text) => {
    for (const needle of needlesOf(text)) if (texts.size < MOST_CANARIES) texts.add(needle);
  });
  const needles = [...texts].map((text) => Buffer.from(text)).filter(isLongEnough);
  const all = new NeedleSet(needles);
  const shared = new Set<number>();
  await eachText(textCells(read, "kept", sessionIds), "compare", options, (text) => {
    all.scan(Buffer.from(text), shared);
    all.scan(Buffer.from(folded(text)), shared);
  });
  return new NeedleSet(needles.filter((_, id) => !shared.has(id)));
}
