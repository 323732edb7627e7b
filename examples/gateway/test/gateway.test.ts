import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { startGateway } from "./gateway-process.js";
import type { GatewayProcess } from "./gateway-process.js";

async function found(gateway: GatewayProcess, peer: string, query: string): Promise<string[]> {
  const { body } = await gateway.request(peer, "GET", `/search?q=${encodeURIComponent(query)}`);
  return (body["hits"] as { snippet: string }[]).map(({ snippet }) => snippet);
}

async function history(gateway: GatewayProcess, peer: string): Promise<string[]> {
  const { body } = await gateway.request(peer, "GET", "/history");
  return (body["messages"] as { content: string }[]).map(({ content }) => content);
}

describe("the example gateway", () => {
  it("GWS-02 GWS-04 two peers talk over HTTP and WebSocket; neither sees or finds the other's", async () => {
    using dir = tempDir("example");
    await using gateway = await startGateway(dir.path);
    const ann = await gateway.say("ann", "the zebrafish are fed at noon");
    expect(ann).toMatchObject({ how: "known", duplicate: false, reply: expect.stringContaining("zebrafish") as string });
    const replies = await gateway.sayBySocket("bob", ["one 桂林", "two", "three"]);
    expect(replies.map(({ reply }) => String(reply))).toEqual([
      "You said: one 桂林 (1 messages in sight)",
      "You said: two (3 messages in sight)",
      "You said: three (5 messages in sight)",
    ]);
    // Ann goes on over the other way in, in the same conversation.
    const [again] = await gateway.sayBySocket("ann", ["and at night"]);
    expect(again).toMatchObject({ sessionId: ann["sessionId"] });
    expect(await history(gateway, "ann")).toHaveLength(4);
    expect(await found(gateway, "ann", "zebrafish")).toHaveLength(2);
    expect(await found(gateway, "bob", "zebrafish")).toEqual([]);
    expect(await found(gateway, "bob", "桂林")).toHaveLength(2);
    expect(await found(gateway, "ann", "桂林")).toEqual([]);
  });

  it("GWS-05 P16 a long conversation goes on in a new session, and is found as a whole after a restart", async () => {
    using dir = tempDir("example");
    let first: unknown;
    let tip: unknown;
    {
      await using gateway = await startGateway(dir.path);
      first = (await gateway.say("ann", "the very first thing"))["sessionId"];
      for (const n of [2, 3]) await gateway.say("ann", `thing ${String(n)}`);
      tip = (await gateway.say("ann", "the fourth"))["rotatedTo"];
      expect(tip).toEqual(expect.any(String));
      expect(await gateway.say("ann", "the fifth")).toMatchObject({ sessionId: tip });
      expect((await history(gateway, "ann"))[0]).toContain("Summary of 8 messages");
      expect(await gateway.stop()).toBe(0);
    }
    await using gateway = await startGateway(dir.path);
    expect(await gateway.say("ann", "after the restart")).toMatchObject({ sessionId: tip, how: "known" });
    expect(await found(gateway, "ann", "\"very first thing\"")).not.toEqual([]);
    const { body } = await gateway.request("ann", "GET", "/explain");
    expect(body).toMatchObject({ sessionKey: "agent:main:api_server:dm:ann", generation: 0, standing: { state: "live" } });
    expect(first).not.toBe(tip);
  });

  it("GWS-03 P18 what a peer left does not come back after a restart, be it clean or not", async () => {
    using dir = tempDir("example");
    const say = async (): Promise<unknown> => {
      await using gateway = await startGateway(dir.path);
      const { sessionId } = await gateway.say("ann", "hello again");
      await gateway.kill();
      return sessionId;
    };
    const before = await say();
    expect(await say()).toBe(before);
    let fresh: unknown;
    {
      await using gateway = await startGateway(dir.path);
      const { body } = await gateway.request("ann", "POST", "/new");
      expect(body).toMatchObject({ previousSessionId: before });
      fresh = body["sessionId"];
      await gateway.kill();
    }
    expect(await say()).toBe(fresh);
    await using gateway = await startGateway(dir.path);
    expect(await history(gateway, "ann")).toHaveLength(2);
    expect(await found(gateway, "ann", "hello")).toHaveLength(6);
    const { body } = await gateway.request("ann", "GET", "/explain");
    expect(body).toMatchObject({ generation: 1 });
  });

  it("GWS-06 P14 a peer whose turn was killed gets its answer at the next start, once", async () => {
    using dir = tempDir("example");
    {
      await using gateway = await startGateway(dir.path, { GATEWAY_THINK_MS: "60000" });
      const cut = gateway.say("ann", "are you there?", "m1").catch((error: unknown) => error);
      while ((await history(gateway, "ann")).length === 0) await new Promise((next) => setTimeout(next, 20));
      await gateway.kill();
      expect(await cut).toBeInstanceOf(Error);
    }
    await using gateway = await startGateway(dir.path);
    const reply = "You said: are you there? (1 messages in sight)";
    expect(await history(gateway, "ann")).toEqual(["are you there?", reply]);
    // Its program did not get the answer and sends the message again.
    expect(await gateway.say("ann", "are you there?", "m1")).toMatchObject({ duplicate: true, reply });
    expect(await history(gateway, "ann")).toHaveLength(2);
  });

  it("GWS-04 answers nobody who does not say who it is, and refuses what is no message", async () => {
    using dir = tempDir("example");
    await using gateway = await startGateway(dir.path);
    expect((await gateway.request(null, "GET", "/history")).status).toBe(401);
    expect((await gateway.request("eve", "GET", "/search?q=a")).status).toBe(401);
    await expect(gateway.sayBySocket("eve", ["hi"])).rejects.toThrow("401");
    for (const body of ["{", "[]", "null", { text: 1 }, { text: "" }, { text: "x", id: 7 }, { text: "x".repeat(9_000) }]) {
      expect((await gateway.request("ann", "POST", "/message", body)).status).toBe(400);
    }
    expect((await gateway.request("ann", "POST", "/message", { text: "x".repeat(70_000) })).status).toBe(413);
    const [refused] = await gateway.sayBySocket("ann", [""]);
    expect(refused).toHaveProperty("error");
    expect((await gateway.request(null, "GET", "/health")).body).toMatchObject({ ok: true });
    expect(await history(gateway, "ann")).toEqual([]);
  });
});
