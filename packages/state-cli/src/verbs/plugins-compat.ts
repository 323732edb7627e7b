import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { StateError } from "@hermes/state-core";
import { EXIT } from "../errors/exit-code.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import type { Verb } from "../verb.js";

/** One line of a plugin that uses a name which does not stay. */
interface Hit {
  readonly file: string;
  readonly line: number;
  readonly old: string;
  readonly new: string;
  readonly code: string | null;
  readonly removal: string | null;
}

/** What the layer offers to the command. */
interface CompatLayer {
  scanPlugin(path: string): readonly Hit[];
  fixPlugin(path: string): readonly string[];
}

/** Found by its name when it runs: nothing here is built upon the layer, so that it can leave. */
const LAYER: string = "@hermes/compat/cli";

async function loadLayer(): Promise<CompatLayer | undefined> {
  try {
    return (await import(LAYER)) as CompatLayer;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function missing(path: string): StateError {
  const message = `There is nothing at ${path}. Give the folder or the file of a plugin.`;
  return new StateError("STATE_E_USAGE", message, { path });
}

function textOf(hits: readonly Hit[], fixed: readonly string[]): string {
  const lines = hits.map(({ file, line, old, new: instead }) => sanitizeLine(`${file}:${line} ${old} -> ${instead}`));
  const changed = fixed.map((file) => sanitizeLine(`rewritten: ${file}`));
  const last =
    hits.length === 0 ? "Nothing left that is going to be removed." : `${hits.length} uses of names that do not stay.`;
  return [...changed, ...lines, last].join("\n");
}

/**
 * Lists what a plugin uses of the names that are going to be removed, and rewrites what can be rewritten. The plugin is
 * never run (CPT-06).
 */
export const pluginsCompat: Verb<{ readonly path: string; readonly fix?: boolean }> = async (
  { output },
  { path, fix = false },
) => {
  const target = resolve(path);
  if (!existsSync(target)) throw missing(path);
  const layer = await loadLayer();
  if (!layer) {
    const document = { path: target, fixed: [], hits: [], layer: false };
    await writeDocument(output, document, () => "The compat layer has been removed: nothing to check.");
    return EXIT.done;
  }
  const fixed = fix ? layer.fixPlugin(target).map((file) => relative(target, file) || path) : [];
  const hits = layer.scanPlugin(target);
  await writeDocument(output, { path: target, fixed, hits, layer: true }, () => textOf(hits, fixed));
  return hits.length === 0 ? EXIT.done : EXIT.failed;
};
