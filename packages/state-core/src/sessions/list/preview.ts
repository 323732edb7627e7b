import { CONTENT_PREFIX } from "../../codec/content-prefix.js";
import { pythonStrip } from "../../codec/python-strip.js";
import { sanitizeContext } from "../../messages/sanitize-context.js";

/** Bytes or characters of a message that a preview is made from; the rest is never handed over (P24). */
const HEAD = 800;

/** Rows of a session that are searched for the first thing the user said. */
const ROWS = 100;

const SHOWN = 60;

/**
 * SQL for the head of the first user message of a session: text, or bytes where the content is structured, since the
 * engine's text functions end at its NUL. Compaction summaries and hidden rows are nothing the user said.
 *
 * @param session - Alias of `sessions`.
 */
export function previewHeadSql(session: string): string {
  return `(SELECT CASE WHEN substr(CAST(m.content AS BLOB), 1, 6) = x'006a736f6e3a'
        THEN substr(CAST(m.content AS BLOB), 1, ${String(HEAD)}) ELSE substr(m.content, 1, ${String(HEAD)}) END
      FROM messages AS m
      WHERE m.id IN (SELECT early.id FROM messages AS early WHERE early.session_id = ${session}.id
          ORDER BY early.id LIMIT ${String(ROWS)})
        AND m.role = 'user' AND m.content <> '' AND m._compressed_summary = 0 AND m.display_kind IS NOT 'hidden'
      ORDER BY m.id LIMIT 1)`;
}

/** The first text part, as far as whole characters of it are in the head. */
const TEXT_PART = /"type": ?"(?:text|input_text)", ?"text": ?"((?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*)/;

function structuredText(head: string): string {
  const quoted = TEXT_PART.exec(head)?.[1];
  return quoted === undefined ? "" : (JSON.parse(`"${quoted}"`) as string);
}

const SKILL = /^\[IMPORTANT: The user has invoked the "([^"]+)" skill/;

/** What was typed, of text that a skill invocation was expanded to. */
export function typedText(text: string): string {
  const skill = SKILL.exec(text)?.[1];
  return skill === undefined ? text : `/${skill}`;
}

/**
 * Makes the preview line of a session: one line, 60 characters and an ellipsis. A skill invocation shows its name,
 * structured content its text (COR-31).
 *
 * @param head - What {@link previewHeadSql} gave; null when the user said nothing.
 */
export function makePreview(head: string | Uint8Array | null): string {
  if (head === null) return "";
  const stored = typeof head === "string" ? head : new TextDecoder().decode(head);
  const text = stored.startsWith(CONTENT_PREFIX) ? structuredText(stored) : typedText(stored);
  const line = Array.from(pythonStrip(sanitizeContext(text).replace(/[\r\n]/g, " ")));
  return line.length > SHOWN ? `${line.slice(0, SHOWN).join("")}...` : line.join("");
}
