import { atifCodec } from "./chat-codecs/atif-codec.js";
import { openaiCodec } from "./chat-codecs/openai-codec.js";
import { sharegptCodec } from "./chat-codecs/sharegpt-codec.js";
import type { ExportCodec } from "./export/export-codec.js";
import { htmlCodec } from "./html/html-codec.js";
import { markdownCodec } from "./markdown/markdown-codec.js";
import { peerJsonlCodec } from "./peer-jsonl/peer-jsonl-codec.js";
import { stateJsonlCodec } from "./state-jsonl/state-jsonl-codec.js";

/** How conversations are written, by name. */
export const codecs: {
  readonly stateJsonl: ExportCodec;
  readonly peerJsonl: ExportCodec;
  readonly markdown: ExportCodec;
  readonly html: ExportCodec;
  readonly openai: ExportCodec;
  readonly shareGpt: ExportCodec;
  readonly atif: ExportCodec;
} = Object.freeze({
  stateJsonl: stateJsonlCodec,
  peerJsonl: peerJsonlCodec,
  markdown: markdownCodec,
  html: htmlCodec,
  openai: openaiCodec,
  shareGpt: sharegptCodec,
  atif: atifCodec,
});
