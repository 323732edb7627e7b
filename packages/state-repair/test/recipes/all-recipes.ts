import { LEFTOVERS } from "./leftovers.js";
import { LOST_PAGES } from "./lost-pages.js";
import type { Recipe } from "./recipe.js";
import { SCHEMA_ENTRIES } from "./schema-entries.js";
import { SEARCH_INDEX } from "./search-index.js";

/** Every kind of damage that is made on a file, in the order of the test book. */
export const RECIPES: readonly Recipe[] = [...SCHEMA_ENTRIES, ...LOST_PAGES, ...SEARCH_INDEX, ...LEFTOVERS].sort(
  (a, b) => a.number.localeCompare(b.number, "en", { numeric: true }),
);
