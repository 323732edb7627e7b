import type { StateStore } from "@hermes/state-core";

/**
 * A conversation with everything that can hang on it: `root` went on in `middle` and `tip`; `branch` left `middle` and
 * went on in `branch2`; `helper` works for `tip`, and `helper2` for `helper`; `reset` follows a reset, `lost` names its
 * owner in the marker alone. `other` has nothing to do with it.
 */
export function fillFamily(store: StateStore): void {
  const { sessions, messages } = store;
  let at = 1_769_000_000;
  const make = (id: string, fields: object = {}): void => {
    sessions.create({ id, source: "cli", startedAtSeconds: (at += 10), ...fields });
    messages.append(id, { role: "user", content: `question of ${id} 旅行`, timestampSeconds: at + 1 });
    messages.append(id, { role: "assistant", content: `answer of ${id}`, timestampSeconds: at + 2, reasoning: "hm" });
  };
  make("root", { title: "The trip" });
  sessions.end("root", "compression");
  make("middle", { parentSessionId: "root" });
  sessions.end("middle", "compression");
  make("branch", { parentSessionId: "middle", modelConfig: { _branched_from: "middle" } });
  sessions.end("branch", "compression");
  make("branch2", { parentSessionId: "branch" });
  make("tip", { parentSessionId: "middle" });
  make("helper", { parentSessionId: "tip", source: "subagent", modelConfig: { _delegate_from: "tip" } });
  make("helper2", { parentSessionId: "helper", source: "subagent", modelConfig: { _delegate_from: "helper" } });
  make("lost", { source: "subagent", modelConfig: { _delegate_from: "root" } });
  make("reset", { parentSessionId: "tip", modelConfig: { _reset_from: "tip" } });
  make("other");
  store.write("spoil for a test", (w) => {
    w.run("UPDATE messages SET active = 0, compacted = 1 WHERE session_id = 'root' AND role = 'user'");
    w.run("INSERT INTO session_model_usage (session_id, model, task, input_tokens) VALUES ('tip', 'm', '', 9)");
  });
}

/** Ids and messages of everything in a store. */
export function stock(store: StateStore): Record<string, number> {
  const rows = store.read((r) =>
    r.tuples<readonly [string, number]>(
      "SELECT s.id, (SELECT COUNT(1) FROM messages WHERE session_id = s.id) FROM sessions AS s ORDER BY s.id",
    ),
  );
  return Object.fromEntries(rows);
}

/** What of it {@link fillFamily} makes. */
export const FAMILY: Readonly<Record<string, number>> = {
  branch: 2,
  branch2: 2,
  helper: 2,
  helper2: 2,
  lost: 2,
  middle: 2,
  other: 2,
  reset: 2,
  root: 2,
  tip: 2,
};
