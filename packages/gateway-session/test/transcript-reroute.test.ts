import { StateError } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import { openWriter, user } from "./support/open-writer.js";
import type { TestWriter } from "./support/open-writer.js";

const BUSY = new StateError("STATE_E_BUSY", "database is locked");

/** Rotates a session to a chain of children, each but the last closed by compression. */
function rotate(test: TestWriter, from: string, ...children: readonly string[]): void {
  let parent = from;
  for (const id of children) {
    test.store.sessions.end(parent, "compression");
    test.store.sessions.create({ id, source: "telegram", parentSessionId: parent });
    parent = id;
  }
}

const S1 = { sessionId: "s1", sessionKey: "k1" };

describe("a session that compaction closed", () => {
  it("P16 GWS-05 a message for the first of a chain of three hops lands on the tip, and the route follows it", async () => {
    const moves: string[] = [];
    await using test = openWriter({
      onReroute: (key, from, to) => {
        moves.push(`${key} ${from} ${to} ${test.texts("t3").join()}`);
        return Promise.resolve();
      },
    });
    rotate(test, "s1", "t1", "t2", "t3");
    expect(await test.writer.append(S1, user("here"))).toMatchObject({ state: "stored", sessionId: "t3" });
    expect(test.texts("t3")).toEqual(["here"]);
    // Published once, after the message was there.
    expect(moves).toEqual(["k1 s1 t3 here"]);
    expect(await test.writer.append(S1, user("again"))).toMatchObject({ sessionId: "t3" });
    expect(moves).toHaveLength(1);
    expect(test.writer.counters()).toMatchObject({ rerouted: 1 });
    expect(await test.writer.load(S1)).toMatchObject({
      sessionId: "t3",
      messages: [{ content: "here" }, { content: "again" }],
    });
  });

  it("GWS-05 what waits for the parent joins what waits for the child: the older before the newer", async () => {
    await using test = openWriter();
    test.store.sessions.create({ id: "t1", source: "telegram" });
    test.fault = () => {
      throw BUSY;
    };
    for (const text of ["p1", "p2", "p3"]) await test.writer.append(S1, user(text));
    for (const text of ["c1", "c2"]) await test.writer.append({ sessionId: "t1" }, user(text));
    await test.writer.append(S1, user("p4"));
    await test.writer.append({ sessionId: "t1" }, user("c3"));
    test.fault = () => undefined;
    test.store.sessions.end("s1", "compression");
    test.store.write("link", (w) => w.run("UPDATE sessions SET parent_session_id = 's1' WHERE id = 't1'"));
    await test.writer.append(S1, user("p5"));
    await test.writer.flush();
    expect(test.texts("t1")).toEqual(["p1", "p2", "p3", "c1", "c2", "p4", "c3", "p5"]);
  });

  it("GWS-05 the count of failures that goes along is the greater of the two", async () => {
    await using test = openWriter();
    test.fault = () => {
      throw BUSY;
    };
    await test.writer.append(S1, user("p1"));
    await test.writer.append(S1, user("p2"));
    rotate(test, "s1", "t1");
    let calls = 0;
    test.fault = (sessionId) => {
      if (sessionId === "t1" && (calls += 1) === 2) throw BUSY;
    };
    // p1 reaches the tip; p2 is its third failure in a row.
    await test.writer.append(S1, user("p3"));
    expect(test.warnings.map(({ level, failures, sessionId }) => [level, failures, sessionId])).toEqual([
      ["warning", 1, "s1"],
      ["warning", 2, "s1"],
      ["error", 3, "t1"],
    ]);
    expect(test.spooled()).toHaveLength(2);
    test.fault = () => undefined;
    await test.writer.flush();
    expect(test.texts("t1")).toEqual(["p1", "p2", "p3"]);
  });

  it("GWS-05 with no live tip that message is set aside, and the rest goes on", async () => {
    await using test = openWriter();
    rotate(test, "s1", "t1");
    test.store.sessions.end("t1", "session_reset");
    test.store.sessions.create({ id: "s2", source: "telegram" });
    await expect(test.writer.append(S1, user("nowhere"))).rejects.toMatchObject({
      code: "STATE_E_NO_LIVE_CONTINUATION",
      facts: { sessionId: "s1", tipId: "t1" },
    });
    expect(test.names().filter((name) => name.endsWith(".bad"))).toHaveLength(1);
    expect(test.warnings).toMatchObject([{ level: "error", what: "set_aside", sessionId: "s1" }]);
    test.store.sessions.reopen("t1");
    expect(await test.writer.append(S1, user("back"))).toMatchObject({ sessionId: "t1" });
    await test.writer.flush();
    await test.writer.close();
    test.die();
    await test.writer.replay();
    // What was set aside is never tried again.
    expect([...test.texts("s1"), ...test.texts("t1")]).toEqual(["back"]);
    expect(test.names().filter((name) => name.endsWith(".bad"))).toHaveLength(1);
  });

  it("GWS-05 a session that is being compacted just now is waited for", async () => {
    await using test = openWriter();
    test.store.sessions.end("s1", "compression");
    const lease = test.store.leases.acquire("compression", "s1");
    expect(lease).toBeDefined();
    expect(await test.writer.append(S1, user("patient"))).toMatchObject({ state: "queued" });
    test.store.sessions.create({ id: "t1", source: "telegram", parentSessionId: "s1" });
    expect(await test.writer.append(S1, user("then"))).toMatchObject({ state: "stored", sessionId: "t1" });
    expect(test.texts("t1")).toEqual(["patient", "then"]);
  });

  it("GWS-05 a tip that is rotated while the message is on its way is followed again", async () => {
    await using test = openWriter();
    rotate(test, "s1", "t1");
    test.fault = (sessionId) => {
      test.fault = () => undefined;
      if (sessionId !== "s1") return;
      test.fault = (tip) => {
        test.fault = () => undefined;
        if (tip === "t1") rotate(test, "t1", "t2");
      };
    };
    expect(await test.writer.append(S1, user("chased"))).toMatchObject({ state: "stored", sessionId: "t2" });
  });

  it("GWS-05 a router that cannot publish costs no message", async () => {
    await using test = openWriter({ onReroute: () => Promise.reject(new Error("no")) });
    rotate(test, "s1", "t1");
    expect(await test.writer.append(S1, user("a"))).toMatchObject({ state: "stored" });
    expect(test.warnings).toMatchObject([{ level: "warning", what: "publish_failed", sessionKey: "k1" }]);
  });

  it("P16 GWS-05 spooled messages of a parent are stored in the tip before new ones that name the tip", async () => {
    const moves: string[] = [];
    await using test = openWriter({
      onReroute: (key, from, to) => Promise.resolve(moves.push(`${key} ${from} ${to}`)),
    });
    test.fault = () => {
      throw BUSY;
    };
    for (const text of ["a", "b", "c"]) await test.writer.append(S1, user(text));
    await test.writer.close();
    rotate(test, "s1", "t1", "t2");
    test.fault = () => undefined;
    test.die();
    expect(await test.writer.append({ sessionId: "t2" }, user("new"))).toMatchObject({ state: "stored" });
    expect(test.texts("t2")).toEqual(["a", "b", "c", "new"]);
    expect(moves).toEqual(["k1 s1 t2"]);
  });

  it("GWS-05 what the router found out itself moves the queue too", async () => {
    await using test = openWriter();
    test.fault = () => {
      throw BUSY;
    };
    await test.writer.append(S1, user("a"));
    rotate(test, "s1", "t1");
    await test.writer.append({ sessionId: "t1" }, user("b"));
    test.fault = () => undefined;
    test.writer.moved("s1", "t1");
    await test.writer.flush();
    expect(test.texts("t1")).toEqual(["a", "b"]);
    test.writer.moved("s1", "t1");
    test.writer.moved("t1", "t1");
    expect(await test.writer.append(S1, user("c"))).toMatchObject({ sessionId: "t1" });
  });
});

describe("sessions without a row", () => {
  it("GWS-11 GWS-05 the row is made when the first message comes, and only then", async () => {
    const made: string[] = [];
    await using test = openWriter({
      materialize: (key, id) => {
        made.push(`${key} ${id}`);
        test.store.sessions.create({ id, source: "telegram", sessionKey: key });
        return Promise.resolve(id);
      },
    });
    const target = { sessionId: "new", sessionKey: "k2" };
    expect((await test.writer.load(target)).messages).toEqual([]);
    expect(made).toEqual([]);
    const receipts = await Promise.all(["a", "b", "c"].map((text) => test.writer.append(target, user(text))));
    expect(receipts.map(({ state }) => state)).toEqual(["stored", "stored", "stored"]);
    expect([made, test.texts("new")]).toEqual([["k2 new"], ["a", "b", "c"]]);
  });

  it("GWS-05 a row that cannot be made now is made later; one that may not be sets the message aside", async () => {
    let busy = true;
    await using test = openWriter({
      materialize: (_, id) => {
        if (busy) throw BUSY;
        if (id === "gone") return Promise.resolve(undefined);
        test.store.sessions.create({ id, source: "telegram" });
        return Promise.resolve(id);
      },
    });
    expect(await test.writer.append({ sessionId: "new", sessionKey: "k2" }, user("a"))).toMatchObject({
      state: "queued",
    });
    busy = false;
    await test.writer.flush();
    expect(test.texts("new")).toEqual(["a"]);
    const gone = test.writer.append({ sessionId: "gone", sessionKey: "k3" }, user("b"));
    await expect(gone).rejects.toMatchObject({ code: "STATE_E_SESSION_NOT_FOUND" });
    await expect(test.writer.append({ sessionId: "no key" }, user("c"))).rejects.toMatchObject({
      code: "STATE_E_SESSION_NOT_FOUND",
    });
    expect(test.names().filter((name) => name.endsWith(".bad"))).toHaveLength(2);
  });

  it("GWS-11 GWS-05 a message that was spooled before its session had a row finds it made at the next start", async () => {
    const made: string[] = [];
    await using test = openWriter({
      materialize: (key, id) => {
        made.push(`${key} ${id}`);
        test.store.sessions.create({ id, source: "telegram", sessionKey: key });
        return Promise.resolve(id);
      },
    });
    test.fault = () => {
      throw BUSY;
    };
    const target = { sessionId: "new", sessionKey: "k2" };
    await test.writer.append(target, user("a"), { durable: true });
    await test.writer.append(target, user("b"), { durable: true });
    test.fault = () => undefined;
    test.die();
    await test.writer.replay();
    expect([made, test.texts("new")]).toEqual([["k2 new"], ["a", "b"]]);
  });

  it("GWS-05 a key is asked for its session; messages for it keep their order; an unknown key is told", async () => {
    let first = true;
    await using test = openWriter({
      sessionOf: async (key) => {
        // The first answer takes the longest.
        if (first) await new Promise((resolve) => setTimeout(resolve, 5 + Number((first = false))));
        return key === "k1" ? "s1" : undefined;
      },
    });
    await Promise.all(["a", "b", "c"].map((text) => test.writer.append({ sessionKey: "k1" }, user(text))));
    expect(test.texts("s1")).toEqual(["a", "b", "c"]);
    await expect(test.writer.append({ sessionKey: "k9" }, user("d"))).rejects.toMatchObject({
      code: "STATE_E_ROUTE_NOT_FOUND",
    });
  });
});
