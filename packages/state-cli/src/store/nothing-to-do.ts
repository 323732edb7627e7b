import { EXIT } from "../errors/exit-code.js";
import type { ExitCode } from "../errors/exit-code.js";
import { writeDocument } from "../output/write-document.js";
import type { VerbContext } from "../verb.js";
import { locateStore } from "./locate-store.js";

/** The answer of a verb on a home without a store. */
export async function writeNothingToDo({ output, options }: VerbContext): Promise<ExitCode> {
  const { path } = locateStore(options);
  await writeDocument(output, { path, exists: false }, () => `There is no store at ${path} yet: nothing to do.`);
  return EXIT.done;
}
