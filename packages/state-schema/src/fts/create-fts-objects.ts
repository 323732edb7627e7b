import type { Writer } from "../sql/handles.js";
import { contentOnlyObjects, externalObjects } from "./external-objects.js";
import type { FtsHalfObjects, FtsObjects } from "./fts-objects.js";
import { inlineObjects } from "./inline-objects.js";

/** A layout that can be created. */
export type CreatableLayout = "content-only" | 0 | 1 | 2 | 3;

/** The layout of a fresh file. */
export const FTS_LAYOUT = 3;

/** What the indexes of a layout consist of. */
export function ftsObjects(layout: CreatableLayout): FtsObjects {
  if (layout === "content-only") return contentOnlyObjects();
  return layout === 0 ? inlineObjects() : externalObjects(layout);
}

/**
 * Creates the tables, views and sync triggers of a layout where they are missing. Nothing is indexed: the caller either
 * knows that `messages` is empty or takes care of its rows.
 *
 * @param w - A writer inside the caller's transaction.
 * @param options - `trigram: false` leaves the trigram index out, for a runtime without its tokenizer.
 */
export function createFtsObjects(
  w: Writer,
  layout: CreatableLayout,
  options: { readonly trigram?: boolean } = {},
): void {
  const objects = ftsObjects(layout);
  createHalf(w, objects.word);
  if (options.trigram !== false && objects.trigram !== undefined) createHalf(w, objects.trigram);
}

/** Creates one index of a layout where it is missing. */
export function createHalf(w: Writer, half: FtsHalfObjects): void {
  for (const statement of [...half.views, half.table, ...half.triggers]) w.exec(statement.sql);
}
