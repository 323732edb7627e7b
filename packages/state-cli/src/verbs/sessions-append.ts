import { readFileSync } from "node:fs";
import { StateError } from "@hermes/state-core";
import type { NewMessage } from "@hermes/state-core";
import { EXIT } from "../errors/exit-code.js";
import { UsageError } from "../errors/usage-error.js";
import { readStdin } from "../input/read-stdin.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { openForWriting } from "../store/open-store.js";
import { resolveSession } from "../store/resolve-session.js";
import type { Verb } from "../verb.js";

/** Options of `sessions append`. */
export interface SessionsAppendOptions {
  readonly role?: string;
  readonly content?: string;
  /** File with one message per line. */
  readonly jsonl?: string;
}

/** Spellings of chat APIs and of the peer beside this stack's own. */
function camelKey(key: string): string {
  if (key === "timestamp") return "timestampSeconds";
  return key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function parseMessage(line: string, number: number, file: string): NewMessage {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw badLine(file, number, "is not valid JSON", cause);
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw badLine(file, number, "is not a JSON object");
  const message = Object.fromEntries(Object.entries(json).map(([key, value]) => [camelKey(key), value]));
  if (typeof message["role"] !== "string") throw badLine(file, number, "has no role");
  return message as unknown as NewMessage;
}

function badLine(file: string, line: number, reason: string, cause?: unknown): StateError {
  const message = `${file}, line ${line} ${reason}. Nothing was appended; correct the line and run it again.`;
  return new StateError("STATE_E_INPUT_INVALID", message, { file, line }, { cause });
}

async function readText(file: string): Promise<string> {
  if (file === "-") return await readStdin();
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new StateError(
      "STATE_E_INPUT_MISSING",
      `The file ${file} cannot be read. Check the path.`,
      { file },
      { cause },
    );
  }
}

async function messagesOf(options: SessionsAppendOptions): Promise<NewMessage[]> {
  const { role, content, jsonl } = options;
  if (jsonl === undefined) {
    if (content === undefined) throw new UsageError("Say what to append: --content TEXT, or --jsonl FILE.");
    return [{ role: role ?? "user", content: content === "-" ? await readStdin() : content }];
  }
  if (role !== undefined || content !== undefined) throw new UsageError("--jsonl goes without --role and --content.");
  const name = jsonl === "-" ? "standard input" : jsonl;
  const lines = (await readText(jsonl)).split("\n");
  return lines.flatMap((line, index) => (line.trim() === "" ? [] : [parseMessage(line, index + 1, name)]));
}

/** Appends messages to a session, all or none. */
export const sessionsAppend: Verb<SessionsAppendOptions & { readonly text: string }> = async (context, options) => {
  const messages = await messagesOf(options);
  using store = openForWriting(context);
  const sessionId = resolveSession(store, options.text);
  const ids = store.messages.appendBatch(sessionId, messages).map((receipt) => receipt.id);
  await writeDocument(context.output, { sessionId, ids }, () => {
    const what = ids.length === 1 ? `message ${String(ids[0])}` : `${ids.length} messages`;
    return `Appended ${what} to ${sanitizeLine(sessionId)}.`;
  });
  return EXIT.done;
};
