import { TABLES } from "@hermes/state-schema";
import { readFlag } from "../codec/cell-readers.js";
import type { CellReader } from "../codec/cell-readers.js";
import { decodeContent } from "../codec/decode-content.js";
import { decodeDisplayMetadata } from "../codec/display-metadata.js";
import { decodeJsonText } from "../codec/json-text.js";
import { RowDecoder } from "../codec/row-decoder.js";
import { decodeToolCalls } from "../codec/tool-calls.js";
import type { MessageRow } from "./message-row.js";

/** Old files may hold NULL where the column came without a default: such rows are live. */
const readActive: CellReader = (cell, damaged) => (cell === null ? true : readFlag(cell, damaged));

/**
 * Decodes rows of `messages`. The two display columns belong to the peer and never leave the store.
 */
export const MESSAGE_DECODER: RowDecoder<MessageRow> = new RowDecoder<MessageRow>(TABLES.messages, {
  omit: ["display_identity", "display_order"],
  readers: {
    content: decodeContent,
    tool_calls: decodeToolCalls,
    reasoning_details: decodeJsonText,
    codex_reasoning_items: decodeJsonText,
    codex_message_items: decodeJsonText,
    display_metadata: decodeDisplayMetadata,
    absorbed_message_uids: decodeJsonText,
    tool_call_uids: decodeJsonText,
    observed: readFlag,
    _compressed_summary: readFlag,
    active: readActive,
    compacted: readFlag,
  },
});
