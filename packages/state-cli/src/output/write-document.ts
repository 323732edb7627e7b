import type { Output } from "./output.js";
import { present } from "./present.js";

/**
 * Writes the one answer of a verb: as a document or a record for scripts, else as text for people.
 *
 * @param text - Makes the text; called only when it is needed.
 */
export async function writeDocument(output: Output, document: object, text: () => string): Promise<void> {
  if (output.mode === "json") await output.json(present(document));
  else if (output.mode === "jsonl") await output.jsonl(present(document));
  else await output.text(text());
}
