import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import { detachFts } from "@hermes/state-schema";

const SESSIONS = 10_000;
const MESSAGES_PER_SESSION = 13;
const START = 1_700_000_000;

const NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)";

/** Prompts of 20 kB, as agents have them. */
const PROMPTS = `${NUMBERS}
  INSERT INTO system_prompts (hash, prompt) SELECT 'prompt' || i, printf('%.*c', 20000, 'p') || i FROM n`;

/** One in twenty is a continuation of a compacted one, one in fifty was touched after its last message. */
const LAY_SESSIONS = `${NUMBERS}
  INSERT INTO sessions (id, source, model_config, system_prompt_hash, started_at, ended_at, end_reason,
    last_activity_at, message_count, parent_session_id)
  SELECT printf('s%06d', i), CASE WHEN i % 3 = 0 THEN 'telegram' ELSE 'cli' END,
    CASE WHEN i % 4 = 0 THEN '{"model": "m"}' END, 'prompt' || (i % 20), ${START} + i * 10,
    CASE WHEN i % 20 = 3 THEN ${START} + i * 10 + 5 END, CASE WHEN i % 20 = 3 THEN 'compression' END,
    CASE WHEN i % 50 = 0 THEN ${START} + i * 10 + 60 END, ${MESSAGES_PER_SESSION},
    CASE WHEN i % 20 = 4 THEN printf('s%06d', i - 1) END
  FROM n`;

/** Half a kilobyte each, and now and then a tool's output of 1 MB. */
const LAY_MESSAGES = `${NUMBERS}
  INSERT INTO messages (session_id, role, content, timestamp, active)
  SELECT printf('s%06d', i / ${MESSAGES_PER_SESSION}),
    CASE i % 3 WHEN 0 THEN 'user' WHEN 1 THEN 'tool' ELSE 'assistant' END,
    printf('%.*c', CASE WHEN i % 5000 = 1 THEN 1000000 ELSE 500 END, 'x'),
    ${START} + i / ${MESSAGES_PER_SESSION} * 10 + i % ${MESSAGES_PER_SESSION} * 3, 1
  FROM n`;

/**
 * A store with 10,000 sessions and 130,000 messages, laid out when it is first asked for. It is not indexed, which no
 * listing looks at.
 */
export class ManySessions implements Disposable {
  #folder: string | undefined;

  get path(): string {
    if (this.#folder === undefined) {
      this.#folder = mkdtempSync(join(tmpdir(), "hermes-bench-many-"));
      lay(join(this.#folder, "state.db"));
    }
    return join(this.#folder, "state.db");
  }

  [Symbol.dispose](): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

function lay(path: string): void {
  using store = openStateStore({ path, durability: "normal" });
  store.write("lay out a large store", (w) => {
    detachFts(w);
    w.run(PROMPTS, [20]);
    w.run(LAY_SESSIONS, [SESSIONS]);
    w.run(LAY_MESSAGES, [SESSIONS * MESSAGES_PER_SESSION]);
  });
}
