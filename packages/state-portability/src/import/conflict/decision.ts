import type { Growth } from "../../foreign/plan-growth.js";

/** What to do with a session whose id the store has already. */
export type ImportMode = "skip" | "copy" | "merge" | "replace";

/** What an import does with one session. Made from what the store holds, so a dry run and the real one agree. */
export type Decision =
  | { readonly kind: "insert" }
  /** A session of its own beside the one that is here. */
  | { readonly kind: "copy"; readonly id: string }
  /** Both went on from a common beginning: what came in becomes a branch of the one that is here. */
  | { readonly kind: "branch"; readonly id: string }
  /** What came in goes on where the one here ends. */
  | { readonly kind: "append"; readonly known: number }
  | { readonly kind: "grow"; readonly growth: Growth }
  | { readonly kind: "replace" }
  | { readonly kind: "skip"; readonly reason: string };
