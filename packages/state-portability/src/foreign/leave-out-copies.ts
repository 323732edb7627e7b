import type { ForeignFormat } from "./foreign-format.js";
import type { ForeignMessage, ForeignParent, ForeignSession } from "./foreign-session.js";
import type { Holders } from "./stored-uids.js";

/** A session without what other sessions hold of it. */
export interface SettledSession extends ForeignSession {
  /** The session that holds its last message, when nothing is left of it. */
  readonly wholeIn?: string;
}

/**
 * Leaves out what other sessions hold already, with its usage, so that nothing is found or counted twice. A session
 * that began with such messages hangs on the one that holds the last of them (POR-05).
 *
 * @param sessions - Of one transcript, parents first.
 * @param copies - How the format's copies are known. Where a fork names its origin (`kin`), a session that names none
 * is the origin itself.
 */
export function leaveOutCopies(
  sessions: readonly ForeignSession[],
  holders: Holders,
  copies: ForeignFormat["copies"],
): readonly SettledSession[] {
  if (holders.size === 0) return sessions;
  const settled = sessions.map((session) => leaveOut(session, holders, copies === "kin"));
  const gone = new Map(settled.flatMap(({ id, wholeIn }) => (wholeIn === undefined ? [] : [[id, wholeIn]])));
  return settled.map((session) => {
    const { parent } = session;
    const place = parent && gone.get(parent.id);
    if (!parent || place === undefined) return session;
    const after = parent.after === undefined ? undefined : holders.get(parent.after);
    return { ...session, parent: { ...parent, id: after ?? place } };
  });
}

function leaveOut(session: ForeignSession, holders: Holders, namesOrigin: boolean): SettledSession {
  const messages = session.messages.filter(({ uid }) => !holders.has(uid));
  if (messages.length === session.messages.length) return session;
  const usage = session.usage.filter(({ uid }) => uid === undefined || !holders.has(uid));
  const left = { ...session, messages, usage };
  const last = session.messages.at(-1);
  const wholeIn = messages.length === 0 && last ? holders.get(last.uid) : undefined;
  if (wholeIn !== undefined) return { ...left, parent: undefined, wholeIn };
  const origin = originOf(session.messages, messages[0], holders);
  const named = session.parent && { after: origin?.after, ...session.parent };
  const parent = named ?? (namesOrigin ? undefined : origin);
  return { ...left, parent, startedSeconds: messages[0]?.seconds ?? session.startedSeconds };
}

/** Where the copies at the beginning end; a session that begins by itself hangs on nothing. */
function originOf(
  all: readonly ForeignMessage[],
  firstOwn: ForeignMessage | undefined,
  holders: Holders,
): ForeignParent | undefined {
  const last = firstOwn && all[all.indexOf(firstOwn) - 1];
  const id = last && holders.get(last.uid);
  return id === undefined ? undefined : { id, relation: "branch", after: last?.uid };
}
