import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { importInto } from "@hermes/state-portability";
import type { ImportReport } from "@hermes/state-portability";
import type { StateStore } from "@hermes/state-core";
import { spawnNode, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { open } from "../support.js";
import { sessionsOf } from "./read-store.js";

const CHILD = fileURLToPath(new URL("../children/import-and-die.mjs", import.meta.url));
const OLD = "01d00000-0000-4000-8000-000000000001";
const NEW = "4e300000-0000-4000-8000-000000000002";

/** A turn and its reply of one session, as lines: `u<n>` and `a<n>`, each reply of ten tokens. */
function turn(session: string, n: number, after: string | null): string {
  const uuid = (kind: string): string => `${kind}0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const envelope = { sessionId: session, isSidechain: false, cwd: "/srv/app", timestamp: "2026-03-01T10:00:00.000Z" };
  const user = {
    ...envelope,
    type: "user",
    uuid: uuid("1"),
    parentUuid: after,
    message: { role: "user", content: `question ${n}` },
  };
  const message = {
    id: `msg_${n}`,
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: `answer ${n}` }],
    usage: { input_tokens: 1, output_tokens: 10 },
    stop_reason: "end_turn",
  };
  const reply = { ...envelope, type: "assistant", uuid: uuid("2"), parentUuid: user.uuid, message };
  return `${JSON.stringify(user)}\n${JSON.stringify(reply)}\n`;
}

const leaf = (n: number): string => `20000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const turns = (session: string, from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)
    .map((n) => turn(session, n, n === 1 ? null : leaf(n - 1)))
    .join("");

/** What is shown of all sessions: contents, and the tokens of the replies. */
function shown(store: StateStore): { texts: string[]; tokens: number; byModel: number } {
  return store.read((r) => ({
    texts: r
      .all<{ content: string }>("SELECT content FROM messages WHERE active = 1 ORDER BY content")
      .map(({ content }) => content),
    tokens: r.get<{ n: number }>("SELECT SUM(output_tokens) AS n FROM sessions")?.n ?? 0,
    byModel: r.get<{ n: number }>("SELECT SUM(output_tokens) AS n FROM session_model_usage")?.n ?? 0,
  }));
}

const once = (count: number): ReturnType<typeof shown> => ({
  texts: ["answer", "question"].flatMap((word) => Array.from({ length: count }, (_, n) => `${word} ${n + 1}`)),
  tokens: count * 10,
  byModel: count * 10,
});

const counts = ({ imported, grown, skipped, messages, found, failed, detached }: ImportReport): object => ({
  imported,
  grown,
  skipped,
  messages,
  found,
  failed,
  detached,
});

describe("sessions of Claude Code that were resumed into a new file", () => {
  const orders = [
    ["the old file first", "a-old.jsonl", "b-new.jsonl"],
    ["the new file first", "z-old.jsonl", "b-new.jsonl"],
  ] as const;

  it.each(orders)("POR-05 counts and finds the copied history once, %s", async (_title, oldName, newName) => {
    using home = tempHome();
    using store = open(home.statePath);
    const folder = home.file("projects");
    mkdirSync(folder);
    writeFileSync(`${folder}/${oldName}`, turns(OLD, 1, 3));
    writeFileSync(`${folder}/${newName}`, turns(NEW, 1, 3) + turns(NEW, 4, 5));
    const planned = await importInto(store, folder, { dryRun: true });
    const report = await importInto(store, folder);
    expect(counts(planned)).toEqual(counts(report));
    expect(report).toMatchObject({ messages: 10, failed: 0, detached: 0 });
    expect(shown(store)).toEqual(once(5));
    const hangs =
      oldName < newName
        ? [
            { id: OLD, parent: null },
            { id: NEW, parent: OLD },
          ]
        : [{ id: NEW, parent: null }];
    expect(sessionsOf(store).map(({ id, parent }) => ({ id, parent }))).toEqual(hangs);
    expect(await importInto(store, folder)).toMatchObject({ imported: 0, grown: 0, messages: 0, skipped: 2 });
    expect(shown(store)).toEqual(once(5));
  });

  it.each(orders)("POR-05 takes in what either file grew by, %s", async (_title, oldName, newName) => {
    using home = tempHome();
    using store = open(home.statePath);
    const folder = home.file("projects");
    mkdirSync(folder);
    writeFileSync(`${folder}/${oldName}`, turns(OLD, 1, 3));
    writeFileSync(`${folder}/${newName}`, turns(NEW, 1, 3) + turns(NEW, 4, 5));
    await importInto(store, folder);
    appendFileSync(`${folder}/${newName}`, turn(NEW, 6, leaf(5)));
    expect(await importInto(store, folder)).toMatchObject({ grown: 1, messages: 2 });
    appendFileSync(`${folder}/${oldName}`, turn(OLD, 7, leaf(3)));
    const planned = await importInto(store, folder, { dryRun: true });
    expect(counts(await importInto(store, folder))).toEqual(counts(planned));
    expect(shown(store)).toEqual(once(7));
    expect(await importInto(store, folder)).toMatchObject({ imported: 0, grown: 0, messages: 0 });
    expect(store.sessions.get(OLD)).toMatchObject({ source: "claude-code" });
  });

  it("POR-05 leaves out of the old file what the new one brought in while the old one was known in part", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    writeFileSync(home.file("old.jsonl"), turns(OLD, 1, 1));
    await importInto(store, home.file("old.jsonl"));
    writeFileSync(home.file("old.jsonl"), turns(OLD, 1, 3));
    writeFileSync(home.file("new.jsonl"), turns(NEW, 1, 4));
    expect(await importInto(store, home.file("new.jsonl"))).toMatchObject({ imported: 1, messages: 6 });
    expect(await importInto(store, home.file("old.jsonl"))).toMatchObject({ grown: 0, skipped: 1, messages: 0 });
    expect(shown(store)).toEqual(once(4));
  });

  it("POR-05 hangs a resume of a resume on the session that holds the last of its history", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const third = "3d000000-0000-4000-8000-000000000003";
    writeFileSync(home.file("a.jsonl"), turns(OLD, 1, 2));
    writeFileSync(home.file("b.jsonl"), turns(NEW, 1, 4));
    // Lines that were copied may keep the session they were written in.
    writeFileSync(home.file("c.jsonl"), turns(OLD, 1, 2) + turns(NEW, 3, 4) + turns(third, 5, 5));
    await importInto(store, home.file("."));
    expect(shown(store)).toEqual(once(5));
    expect(sessionsOf(store).map(({ id, parent }) => [id, parent])).toEqual([
      [OLD, null],
      [third, NEW],
      [NEW, OLD],
    ]);
    expect(
      store.sessions
        .list({})
        .sessions.map(({ id }) => id)
        .sort(),
    ).toEqual([OLD, third, NEW]);
  });

  it("POR-05 says which session holds a file of copies alone, and does not count it as imported", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    writeFileSync(home.file("a.jsonl"), turns(OLD, 1, 2));
    writeFileSync(home.file("b.jsonl"), turns(NEW, 1, 2));
    const seen: unknown[] = [];
    await importInto(store, home.file("."), {
      onItem: ({ sessionId, outcome, reason }) => seen.push([sessionId, outcome, reason]),
    });
    expect(seen).toEqual([
      [OLD, "imported", undefined],
      [NEW, "skipped", `session ${OLD} holds all of it`],
    ]);
  });

  it("POR-05 brings nothing back through the new file when the session that held it was deleted", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    writeFileSync(home.file("a.jsonl"), turns(OLD, 1, 2));
    writeFileSync(home.file("b.jsonl"), turns(NEW, 1, 3));
    await importInto(store, home.file("."));
    store.retention.delete(OLD);
    appendFileSync(home.file("b.jsonl"), turn(NEW, 4, leaf(3)));
    expect(await importInto(store, home.file("b.jsonl"))).toMatchObject({ grown: 1, messages: 2 });
    expect(shown(store)).toMatchObject({ texts: ["answer 3", "answer 4", "question 3", "question 4"], tokens: 20 });
  });

  it("POR-05 finishes after a kill between the two files", async () => {
    using home = tempHome();
    const folder = home.file("projects");
    mkdirSync(folder);
    writeFileSync(`${folder}/a.jsonl`, turns(OLD, 1, 700));
    writeFileSync(`${folder}/b.jsonl`, turns(NEW, 1, 703));
    await using child = spawnNode(CHILD, [home.statePath, folder, "3"]);
    expect((await child.exit).signal).toBe("SIGKILL");
    using store = open(home.statePath);
    expect(shown(store).tokens).toBeLessThan(7030);
    await importInto(store, folder);
    expect(shown(store)).toMatchObject({ tokens: 7030, byModel: 7030 });
    expect(new Set(shown(store).texts).size).toBe(shown(store).texts.length);
    expect(sessionsOf(store).map(({ parent }) => parent)).toEqual([null, OLD]);
  });
});
