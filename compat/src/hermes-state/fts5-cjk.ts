import { existsSync } from "node:fs";
import { join } from "node:path";
import { stateHome } from "@hermes/state-core";
import { cjkLibraryOverride, isCjkWanted } from "../config/cjk-library.js";

/** An open connection that can load libraries. */
export interface LoadingConnection {
  loadExtension?(path: string): unknown;
  enableLoadExtension?(allow: boolean): unknown;
}

/** Where the tokenizer for Chinese, Japanese and Korean lies, or would: `HERMES_FTS5_CJK_SO`, else in the home. */
export function fts5CjkSoPath(): string {
  return cjkLibraryOverride() ?? join(stateHome(), "lib", "libfts5_cjk.so");
}

/**
 * Loads the tokenizer into an open connection of the caller. Stores of this stack do without it.
 *
 * @returns Whether it is loaded; false where it is switched off, not there, or not to be loaded.
 */
export function loadFts5CjkExtension(conn: LoadingConnection): boolean {
  const library = fts5CjkSoPath();
  if (!isCjkWanted() || typeof conn.loadExtension !== "function" || !existsSync(library)) return false;
  try {
    conn.enableLoadExtension?.(true);
    conn.loadExtension(library);
    conn.enableLoadExtension?.(false);
    return true;
  } catch {
    // Without it searching goes on in another way, and so the answer is all there is to say.
    return false;
  }
}
