import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { EXIT } from "../errors/exit-code.js";
import { writeDocument } from "../output/write-document.js";
import { locateStore } from "../store/locate-store.js";
import type { Verb } from "../verb.js";

/** Says where the store is, or would be; opens nothing. */
export const path: Verb<object> = async ({ output, options }) => {
  const { path: file } = locateStore(options);
  await writeDocument(output, { path: file, home: dirname(file), exists: existsSync(file) }, () => file);
  return EXIT.done;
};
