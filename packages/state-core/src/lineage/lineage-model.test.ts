import { seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTestStore, stateErrorOf } from "../../test/support/open-test-store.js";
import { conversationKey } from "../leases/conversation-key.js";
import type { StateStore } from "../index.js";
import type { ForkMarker } from "./fork-sql.js";

/** A session as the naive model knows it. */
interface Node {
  readonly id: string;
  readonly parent: string | undefined;
  readonly end: "compression" | "user_exit" | undefined;
  readonly tool: boolean;
  readonly marker: ForkMarker | undefined;
  /** What the marker names. */
  readonly named: string | undefined;
  readonly broken: boolean;
  readonly started: number;
  readonly heartbeat: number | undefined;
  /** Time of its one message. */
  readonly spoke: number | undefined;
}

/** The rules of a lineage, written down a second time with nothing but loops over a list. */
class Model {
  readonly #nodes: ReadonlyMap<string, Node>;

  constructor(nodes: readonly Node[]) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
  }

  #node(id: string): Node {
    return this.#nodes.get(id)!;
  }

  #isFork({ tool, broken, marker, named, parent }: Node): boolean {
    return tool || (!broken && marker !== undefined && named === parent);
  }

  #children(id: string): Node[] {
    return [...this.#nodes.values()].filter((node) => node.parent === id && !this.#isFork(node));
  }

  #activity({ heartbeat, spoke, started }: Node): number {
    const signs = [heartbeat, spoke].filter((sign) => sign !== undefined);
    return signs.length > 0 ? Math.max(...signs) : started;
  }

  #next(id: string): string | undefined {
    if (this.#node(id).end !== "compression") return undefined;
    const rank = (node: Node): (number | string)[] => [
      node.end === "compression" ? 1 : 0,
      node.end === undefined ? 1 : 0,
      this.#activity(node),
      node.started,
      node.id,
    ];
    return best(this.#children(id), rank)?.id;
  }

  forward(id: string): string[] {
    const chain = [id];
    for (;;) {
      const next = this.#next(chain.at(-1)!);
      if (next === undefined || chain.includes(next)) return chain;
      chain.push(next);
    }
  }

  root(id: string): string {
    const seen = [id];
    for (;;) {
      const { parent } = this.#node(seen.at(-1)!);
      if (parent === undefined || seen.includes(parent)) return seen.at(-1)!;
      seen.push(parent);
    }
  }

  chain(id: string): string[] {
    const before = [id];
    for (;;) {
      const first = this.#node(before[0]!);
      const { parent } = first;
      if (parent === undefined || this.#isFork(first) || this.#node(parent).end !== "compression") break;
      if (before.includes(parent)) break;
      before.unshift(parent);
    }
    return [...new Set([...before, ...this.forward(id)])];
  }

  resumeTarget(id: string): string {
    let target = this.forward(id).at(-1)!;
    const seen = [target];
    for (let at = target; ; ) {
      const child = best(this.#children(at), (node) => [node.started, node.id]);
      if (!child || seen.includes(child.id)) return target;
      seen.push(child.id);
      at = child.id;
      if (child.spoke !== undefined) target = at;
    }
  }

  #live(id: string): Node[] {
    if (this.#node(id).end !== "compression") return [];
    return this.#children(id).filter((node) => node.end === undefined);
  }

  liveChild(id: string): string | undefined {
    const live = this.#live(id);
    return live.length === 1 ? live[0]!.id : undefined;
  }

  adopt(id: string): string | { tipId: string | undefined; reason: string } {
    if (this.#node(id).end !== "compression") return id;
    const chain = this.forward(id);
    const tipId = chain.at(-1)!;
    if (chain.length === 1) return { tipId: undefined, reason: "none" };
    if (this.#node(tipId).end !== undefined) return { tipId, reason: "ended" };
    return this.#live(chain.at(-2)!).length > 1 ? { tipId, reason: "ambiguous" } : tipId;
  }
}

function best(nodes: readonly Node[], rank: (node: Node) => readonly (number | string)[]): Node | undefined {
  return [...nodes].sort((a, b) => compare(rank(b), rank(a)))[0];
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [index, item] of a.entries()) {
    const other = b[index]!;
    if (item !== other) return item < other ? -1 : 1;
  }
  return 0;
}

const MARKERS: readonly ForkMarker[] = ["_branched_from", "_delegate_from", "_reset_from"];

type Shape = "below an earlier one" | "below the last one" | "below any" | "a root";

/** One session, with its parent and the name in its marker still to be looked up. */
const sketch = fc.record({
  shape: fc.constantFrom<Shape[]>(
    "below an earlier one",
    "below an earlier one",
    "below the last one",
    "below the last one",
    "below any",
    "a root",
  ),
  pick: fc.nat(999),
  end: fc.constantFrom<Node["end"][]>("compression", "compression", "compression", "user_exit", undefined, undefined),
  tool: fc.constantFrom(true, ...Array.from({ length: 11 }, () => false)),
  marker: fc.constantFrom(...MARKERS, ...Array.from({ length: 9 }, () => undefined)),
  named: fc.option(fc.nat(999)),
  own: fc.boolean(),
  broken: fc.constantFrom(false, false, false, false, true),
  started: fc.integer({ min: 1, max: 3 }),
  heartbeat: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  spoke: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});

function parentIndex(shape: Shape, pick: number, index: number, size: number): number | undefined {
  if (shape === "below any") return pick % size;
  if (shape === "a root" || index === 0) return undefined;
  return shape === "below the last one" ? index - 1 : pick % index;
}

const sketches = fc.oneof(
  { weight: 1, arbitrary: fc.array(sketch, { minLength: 1, maxLength: 4 }) },
  { weight: 4, arbitrary: fc.array(sketch, { minLength: 8, maxLength: 12 }) },
);

/** Any little forest, rings and sessions that are their own parents included. */
const forest = sketches.map((nodes) =>
  nodes.map(({ shape, pick, named, own, ...rest }, index, { length }): Node => {
    const idOf = (n: number | undefined | null): string | undefined => (typeof n === "number" ? `n${String(n % length)}` : undefined);
    const parent = idOf(parentIndex(shape, pick, index, length));
    // Half of the markers name the parent.
    return { ...rest, id: `n${String(index)}`, parent, named: own ? parent : idOf(named) };
  }),
);

function configOf({ broken, marker, named }: Node): string | null {
  if (broken) return `{"${marker ?? "x"}": "${named ?? ""}"`;
  return marker === undefined ? null : JSON.stringify({ [marker]: named ?? 5 });
}

function lay(store: StateStore, nodes: readonly Node[]): void {
  store.write("lay out", (w) => {
    w.run("DELETE FROM messages");
    w.run("UPDATE sessions SET parent_session_id = NULL");
    w.run("DELETE FROM sessions");
    for (const node of nodes) {
      w.run(
        `INSERT INTO sessions (id, source, started_at, last_activity_at, ended_at, end_reason, model_config)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [
          node.id,
          node.tool ? "tool" : "cli",
          node.started,
          node.heartbeat ?? null,
          node.end === undefined ? null : 9,
          node.end ?? null,
          configOf(node),
        ],
      );
      if (node.spoke !== undefined) {
        w.run("INSERT INTO messages (session_id, role, timestamp, active) VALUES (?, 'user', ?, 1)", [node.id, node.spoke]);
      }
    }
    for (const { id, parent } of nodes) w.run("UPDATE sessions SET parent_session_id = ? WHERE id = ?", [parent ?? null, id]);
  });
}

function adoptIn(store: StateStore, id: string): unknown {
  try {
    return store.lineage.adopt(id);
  } catch {
    const { code, facts } = stateErrorOf(() => store.lineage.adopt(id));
    expect(code).toBe("STATE_E_NO_LIVE_CONTINUATION");
    return { tipId: facts["tipId"], reason: facts["reason"] };
  }
}

describe("lineages against a naive model", () => {
  it("COR-26 every walk from every session of any forest agrees", () => {
    using test = openTestStore();
    const { store } = test;
    const { lineage } = store;
    const seen = new Map<string, number>();
    const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
    fc.assert(
      fc.property(forest, (nodes) => {
        lay(store, nodes);
        const model = new Model(nodes);
        for (const { id } of nodes) {
          const adopted = model.adopt(id);
          expect([id, lineage.tip(id)]).toEqual([id, model.forward(id).at(-1)]);
          expect([id, lineage.root(id)]).toEqual([id, model.root(id)]);
          expect([id, store.read((r) => conversationKey(r, id))]).toEqual([id, model.root(id)]);
          expect([id, lineage.chain(id)]).toEqual([id, model.chain(id)]);
          expect([id, lineage.resumeTarget(id)]).toEqual([id, model.resumeTarget(id)]);
          expect([id, lineage.liveChild(id)]).toEqual([id, model.liveChild(id)]);
          expect([id, adoptIn(store, id)]).toEqual([id, adopted]);
          count(typeof adopted === "string" ? (adopted === id ? "itself" : "adopted") : adopted.reason);
          if (model.forward(id).length > 3) count("four segments");
        }
      }),
      { seed: seedFor("COR-26 lineage model"), numRuns: 200 },
    );
    // The forests were worth asking about.
    for (const what of ["itself", "adopted", "none", "ended", "ambiguous", "four segments"]) {
      expect([what, seen.get(what) ?? 0]).toEqual([what, expect.toSatisfy((times: number) => times >= 1)]);
    }
  });
});
