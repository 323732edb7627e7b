import { FOREIGN_FORMATS } from "../foreign/foreign-formats.js";
import type { ImportFormatName } from "./import-reader.js";

/** Every format that an import reads. */
export const IMPORT_FORMATS: readonly ImportFormatName[] = [
  "jsonl",
  "peer",
  ...FOREIGN_FORMATS.map(({ name }) => name),
];
