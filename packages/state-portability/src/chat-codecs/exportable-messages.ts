import type { SessionDocument } from "../export/session-document.js";
import { lossOf, viewMessage } from "../rows/view-message.js";
import type { ViewedMessage } from "../rows/view-message.js";

/** Roles that other programs know; rows of the store's own kinds are no part of a talk. */
const ROLES: ReadonlySet<string> = new Set(["user", "assistant", "tool", "system"]);

/**
 * The messages that the model sees, for formats that hold one list of them.
 *
 * @param losses - Counts what was left out, by kind.
 */
export function* exportableMessages(
  document: SessionDocument,
  losses: Record<string, number>,
): Generator<ViewedMessage> {
  for (const row of document.rows("message")) {
    const message = viewMessage(row);
    const loss = lossOf(row) ?? (message.state === "archived" ? "archived" : undefined);
    const left = loss ?? (ROLES.has(message.role) ? undefined : message.role);
    if (left === undefined) yield message;
    else losses[left] = (losses[left] ?? 0) + 1;
  }
}
