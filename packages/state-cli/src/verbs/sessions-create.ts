import { resolve } from "node:path";
import { EXIT } from "../errors/exit-code.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { openForWriting } from "../store/open-store.js";
import { resolveSession } from "../store/resolve-session.js";
import type { Verb } from "../verb.js";

/** Options of `sessions create`. */
export interface SessionsCreateOptions {
  readonly id?: string;
  readonly source: string;
  readonly title?: string;
  readonly model?: string;
  readonly parent?: string;
  readonly cwd?: string;
}

/** Makes a session. */
export const sessionsCreate: Verb<SessionsCreateOptions> = async (context, options) => {
  using store = openForWriting(context);
  const { id, source, title, model, parent, cwd } = options;
  const session = store.sessions.create({
    ...(id !== undefined && { id }),
    source,
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model }),
    ...(parent !== undefined && { parentSessionId: resolveSession(store, parent) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
  });
  await writeDocument(context.output, { session }, () => `Created session ${sanitizeLine(session.id)}.`);
  return EXIT.done;
};
