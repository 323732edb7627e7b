import { createSessionRouter, sqliteStorage } from "@hermes/gateway-session";
import type { MessageSource, SessionRouter } from "@hermes/gateway-session";
import { openStateStore } from "@hermes/state-core";
import type { JsonObject, StateStore } from "@hermes/state-core";
import type { Sample } from "./measure/sample.js";

const SCOPE = "bench";
const PATTERN = "peer-pattern";

const sourceOf = (peer: string): MessageSource => ({
  platform: "telegram",
  chatType: "dm",
  chatId: peer,
  chatName: `The chat of ${peer}`,
  userId: peer,
  userName: `Name of ${peer}`,
});

const LAY_SESSIONS = `
  INSERT INTO sessions (id, source, session_key, user_id, chat_id, chat_type, started_at)
  SELECT 'session-' || value, 'telegram', 'agent:main:telegram:dm:' || value, value, value, 'dm', 1700000000
  FROM json_each(?)`;
const LAY_MESSAGES = `
  INSERT INTO messages (session_id, role, content, timestamp)
  SELECT 'session-' || value, 'user', 'hello', 1700000000 FROM json_each(?)`;

async function measure(work: () => Promise<unknown>): Promise<Sample> {
  const cpu = process.cpuUsage();
  const started = process.hrtime.bigint();
  await work();
  const wallUs = Number(process.hrtime.bigint() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: user + system, wallUs };
}

const BATCH = 50;

/** The median of batches, for as many operations as there are: the first ones also pay for their compilation. */
async function measureMedian(count: number, work: (from: number, to: number) => Promise<unknown>): Promise<Sample> {
  const batches: Sample[] = [];
  for (let from = 0; from + BATCH <= count; from += BATCH) batches.push(await measure(() => work(from, from + BATCH)));
  const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const whole = (key: keyof Sample): number => (middle(batches.map((batch) => batch[key])) / BATCH) * count;
  return { cpuUs: whole("cpuUs"), wallUs: whole("wallUs") };
}

const peers = (count: number): string[] => Array.from({ length: count }, (_, n) => `peer-${String(n)}`);

const openRouter = (store: StateStore, scope: string): Promise<SessionRouter> =>
  createSessionRouter(sqliteStorage(store), { scope, zone: "UTC" });

/** One route as the router stores it, repeated for every peer. */
async function lay(store: StateStore, count: number): Promise<undefined> {
  const router = await openRouter(store, SCOPE);
  const { sessionKey, sessionId } = await router.resolve(sourceOf(PATTERN));
  await router.close();
  const stored = JSON.stringify(store.routing.find(SCOPE, sessionKey)?.entry);
  const pattern = stored.replaceAll(sessionId, `session-${PATTERN}`);
  const names = peers(count);
  const entryOf = (peer: string): JsonObject => JSON.parse(pattern.replaceAll(PATTERN, peer)) as JsonObject;
  store.routing.replace(SCOPE, new Map(names.map((peer) => [sessionKey.replace(PATTERN, peer), entryOf(peer)])));
  store.write("lay out sessions", (w) => {
    w.run(LAY_SESSIONS, [JSON.stringify(names)]);
    w.run(LAY_MESSAGES, [JSON.stringify(names)]);
  });
}

async function resolveAll(router: SessionRouter, sources: readonly MessageSource[]): Promise<void> {
  for (const source of sources) {
    const { how } = await router.resolve(source);
    if (how !== "known") throw new Error(`a known key was ${how}`);
  }
}

/** The route is in memory and was read before. */
async function fromMemory(store: StateStore, count: number): Promise<Sample> {
  const router = await openRouter(store, SCOPE);
  const sources = peers(count).map(sourceOf);
  await resolveAll(router, sources);
  const sample = await measureMedian(count, (from, to) => resolveAll(router, sources.slice(from, to)));
  await router.close();
  return sample;
}

/** The route was stored by another process since this one loaded its own. */
async function fromStore(store: StateStore, count: number): Promise<Sample> {
  const scope = `bench-${String(process.pid)}`;
  const warm = await openRouter(store, SCOPE);
  await resolveAll(warm, peers(count).map(sourceOf));
  await warm.close();
  const router = await openRouter(store, scope);
  const stored = store.routing.load(SCOPE);
  store.routing.replace(scope, new Map(stored.map(({ sessionKey, entry }) => [sessionKey ?? "", entry ?? {}])));
  const sources = peers(count).map(sourceOf);
  const sample = await measureMedian(count, (from, to) => resolveAll(router, sources.slice(from, to)));
  await router.close();
  store.routing.replace(scope, new Map());
  return sample;
}

async function load(store: StateStore): Promise<Sample> {
  // What opens with a connection is no part of loading.
  store.routing.find(SCOPE, "nobody");
  return measure(() => openRouter(store, SCOPE));
}

const OPERATIONS: Readonly<Record<string, (store: StateStore, count: number) => Promise<Sample | undefined>>> = {
  lay,
  load,
  memory: fromMemory,
  store: fromStore,
};

async function main([operation = "", path = "", count = ""]: readonly string[]): Promise<void> {
  using store = openStateStore({ path, durability: "normal" });
  const sample = await OPERATIONS[operation]?.(store, Number(count));
  if (sample) console.log(JSON.stringify(sample));
}

void main(process.argv.slice(2));
