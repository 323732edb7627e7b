import { join } from "node:path";
import { openStateStore, type StateStore } from "@hermes/state-core";
import { detachFts } from "@hermes/state-schema";
import { type Child, repoRoot, spawnNode } from "@hermes/testkit";

/** A child script of this package. */
export function childScript(name: string): string {
  return join(repoRoot(), "packages", "state-search", "test", "children", name);
}

/** Creates a store of `count` messages `word<n> fruit`; closed. */
export function createStore(path: string, count: number): string {
  using store = openStateStore({ path });
  store.sessions.create({ id: "s", source: "cli" });
  const texts = Array.from({ length: count }, (_, n) => ({ role: "user", content: `word${n} fruit` }));
  store.messages.appendBatch("s", texts);
  return path;
}

/** Takes the index off, as a write over a damaged one does. */
export function detach(store: StateStore): void {
  store.write("test: detach", detachFts);
}

/** A process that has the right to rebuild, and nothing else of the store. */
export async function startLockHolder(path: string): Promise<Child> {
  const child = spawnNode(childScript("hold-rebuild-lock.mjs"), [path]);
  const line = await child.waitForLine(() => true);
  if (line !== "acquired") throw new Error(`the child did not get the lock: ${line}`);
  return child;
}
