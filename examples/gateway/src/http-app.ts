import { searchMessages } from "@hermes/state-search";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { answer, NotStored } from "./answer.js";
import { sourceOf } from "./gateway.js";
import type { Gateway } from "./gateway.js";
import { peerOf } from "./peer-of.js";
import { BadMessage, readInbound } from "./read-inbound.js";
import type { Turns } from "./turns.js";

/** Sessions of one peer that a search looks into. */
const MOST_SESSIONS = 1_000;
const MAX_BODY = 64 * 1024;

interface Variables {
  readonly peer: string;
  readonly sessionKey: string;
}

/** Only what the peer itself said and heard is searched: every session of its key, whatever became of it. */
function search({ store }: Gateway, sessionKey: string, query: string): object {
  const sessions = store.routing.sessionsOfKey(sessionKey, MOST_SESSIONS).map(({ id }) => id);
  const { hits, complete } = searchMessages(store, query, { sessions, fields: ["id", "sessionId", "role", "snippet"] });
  return { hits, complete };
}

/** What the gateway answers over HTTP. Who asks says so with a token. */
export function httpApp(gateway: Gateway, turns: Turns): Hono<{ Variables: Variables }> {
  const { router, writer, settings } = gateway;
  const app = new Hono<{ Variables: Variables }>();
  app.get("/health", (c) => c.json({ ok: true, peers: router.list().length }));
  app.use(bodyLimit({ maxSize: MAX_BODY }));
  app.use(async (c, next) => {
    const peer = peerOf(settings, c.req.header("authorization"));
    if (peer === undefined) return c.json({ error: "Say who you are: authorization: Bearer TOKEN." }, 401);
    const { sessionKey } = await router.resolve(sourceOf(peer), { touchActivity: false });
    c.set("peer", peer);
    c.set("sessionKey", sessionKey);
    await next();
    return undefined;
  });
  app.post("/message", async (c) => {
    const { peer } = c.var;
    const inbound = readInbound(await c.req.text());
    return c.json(await turns.run(peer, () => answer(gateway, peer, inbound)));
  });
  app.get("/history", async (c) => {
    const { sessionId, messages } = await writer.load({ sessionKey: c.var.sessionKey });
    return c.json({ sessionId, messages: messages.map(({ role, content }) => ({ role, content })) });
  });
  app.get("/search", (c) => c.json(search(gateway, c.var.sessionKey, c.req.query("q") ?? "")));
  app.post("/new", async (c) => {
    const { peer, sessionKey } = c.var;
    const entry = await turns.run(peer, () => router.reset(sessionKey));
    return c.json({ sessionId: entry?.sessionId, previousSessionId: entry?.previousSessionId });
  });
  app.get("/explain", async (c) => {
    const { because, history, generation, standing } = await router.explain(c.var.sessionKey);
    return c.json({ sessionKey: c.var.sessionKey, because, generation, standing, history });
  });
  app.onError((error, c) => {
    if (error instanceof BadMessage) return c.json({ error: error.message }, 400);
    if (error instanceof HTTPException) return c.json({ error: error.message }, error.status);
    if (error instanceof NotStored) return c.json({ error: error.message }, 503);
    console.error(error);
    return c.json({ error: "Something failed here; the log of the gateway says what." }, 500);
  });
  return app;
}
