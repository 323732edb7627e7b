import type { StateStore } from "@hermes/state-core";
import { sanitizeLine } from "../output/sanitize.js";

/** A session as somebody is shown it before it goes, or is written. */
export interface DescribedSession {
  readonly id: string;
  readonly title: string | null;
  readonly messages: number;
}

/** Describes sessions, in the order of their ids as given; those that are not there are left out. */
export function describeSessions(store: StateStore, ids: Iterable<string>): DescribedSession[] {
  return [...new Set(ids)].flatMap((id) => {
    const session = store.sessions.find(id);
    if (!session) return [];
    const { title } = session;
    return [{ id, title: typeof title === "string" ? title : null, messages: store.messages.count(id) }];
  });
}

/** One line each, for people. */
export function sessionLines(sessions: readonly DescribedSession[]): string[] {
  return sessions.map(({ id, title, messages }) => {
    const name = title === null ? "" : `  ${sanitizeLine(title)}`;
    return `  ${sanitizeLine(id)}  ${String(messages)} messages${name}`;
  });
}
