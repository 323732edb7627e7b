import type { ExportCodec } from "./export/export-codec.js";
import { markdownCodec } from "./markdown/markdown-codec.js";
import { peerJsonlCodec } from "./peer-jsonl/peer-jsonl-codec.js";
import { stateJsonlCodec } from "./state-jsonl/state-jsonl-codec.js";

/** How conversations are written, by name. */
export const codecs: {
  readonly markdown: ExportCodec;
  readonly peerJsonl: ExportCodec;
  readonly stateJsonl: ExportCodec;
} = Object.freeze({ markdown: markdownCodec, peerJsonl: peerJsonlCodec, stateJsonl: stateJsonlCodec });
