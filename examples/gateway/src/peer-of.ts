import type { Settings } from "./settings.js";

/** The peer that a header names by its token; undefined for nobody. */
export function peerOf({ peers }: Settings, authorization: string | undefined): string | undefined {
  const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
  return token === undefined ? undefined : peers.get(token);
}
