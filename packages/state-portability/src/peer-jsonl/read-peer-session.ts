import type { JsonObject, StoreContext } from "@hermes/state-core";
import { readSession, storeShape } from "../rows/read-session.js";
import { peerSubsetCodec } from "./peer-jsonl-codec.js";

/**
 * One session with its active messages, as the peer's own export has it in one line of its file (POR-03): keys are
 * those of the file, texts are decoded. It is held in memory as a whole; `exportStore` writes any number of them.
 *
 * @returns Undefined when there is no such session.
 */
export function readPeerSession(store: Pick<StoreContext, "read">, sessionId: string): JsonObject | undefined {
  return store.read((r) => {
    const document = readSession(r, storeShape(r), sessionId);
    if (!document) return undefined;
    return JSON.parse([...peerSubsetCodec.session(document, 0)].join("")) as JsonObject;
  });
}
