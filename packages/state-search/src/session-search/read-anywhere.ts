import { readSession } from "./read-session.js";
import { unknownSession } from "./scroll.js";
import type { SearchView } from "./search-view.js";
import type { SessionSearchHost } from "./session-search-host.js";
import type { SessionSearchReply } from "./session-search-reply.js";
import { withProfile } from "./with-profile.js";

type Attempt = { readonly reply: SessionSearchReply | undefined; readonly failed: boolean };

function readFrom(host: SessionSearchHost, own: SearchView, name: string, sessionId: string): Attempt {
  try {
    return { reply: withProfile(host, own, name, (view) => readSession(view, sessionId)), failed: false };
  } catch {
    // One damaged or locked profile must not hide the others; the answer counts it.
    return { reply: undefined, failed: true };
  }
}

/**
 * Reads a session of this store, or else of the profile that has it.
 *
 * @param elsewhere - Whether the caller may see other profiles.
 * @throws Refusal when it is nowhere.
 */
export function readAnywhere(
  host: SessionSearchHost,
  own: SearchView,
  sessionId: string,
  elsewhere: boolean,
): SessionSearchReply {
  const here = readSession(own, sessionId);
  if (here) return here;
  const names = elsewhere && host.openProfile ? (host.profileNames?.() ?? []) : [];
  let skipped = 0;
  for (const name of names) {
    if (name === own.profile) continue;
    const { reply, failed } = readFrom(host, own, name, sessionId);
    if (reply) return { ...reply, profile: name, ...(skipped > 0 && { profiles_skipped: skipped }) };
    if (failed) skipped++;
  }
  throw unknownSession(sessionId);
}
