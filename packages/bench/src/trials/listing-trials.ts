import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import type { ManySessions } from "../corpus/many-sessions.js";
import { sample } from "../measure/sample.js";
import type { Sample } from "../measure/sample.js";
import type { Trial } from "../measure/trial.js";

const PAGES = 20;
const LIMIT = 50;

type List = Parameters<StateStore["sessions"]["list"]>[0];

/** What happens before a page, outside of the measurement; the options of the page may depend on it. */
type Before = (store: StateStore) => List;

function pages(store: StateStore, before: Before): Sample {
  let cpuUs = 0;
  let wallUs = 0;
  for (let page = 0; page < PAGES; page++) {
    const options = { limit: LIMIT, ...before(store) };
    const one = sample(() => {
      store.sessions.list(options);
    });
    cpuUs += one.cpuUs;
    wallUs += one.wallUs;
  }
  return { cpuUs, wallUs };
}

function listing(many: ManySessions, name: string, before: Before): Trial {
  return {
    name: `list ${LIMIT} of 10,000 sessions ${name}`,
    unit: "page",
    operations: PAGES,
    goal: { cpuMs: 5 },
    round: () => {
      using store = openStateStore({ path: many.path });
      store.sessions.list({ limit: LIMIT, ...before(store) });
      return { store: pages(store, before) };
    },
  };
}

function cursorAfter(store: StateStore, pagesBefore: number): string {
  let cursor: string | undefined;
  for (let page = 0; page < pagesBefore; page++) {
    cursor = store.sessions.list({ order: "active", limit: LIMIT, ...(cursor !== undefined && { cursor }) }).nextCursor;
  }
  return cursor ?? "";
}

/** Pages of a large store, warm. What must not cost anything: the 130,000 messages, their bodies, the prompts. */
export function listingTrials(many: ManySessions): readonly Trial[] {
  return [
    listing(many, "by start", () => ({})),
    listing(many, "by activity", () => ({ order: "active" })),
    listing(many, "by activity, of one source", () => ({ order: "active", source: "telegram" })),
    listing(many, "by activity, page 5", (store) => ({ order: "active", cursor: cursorAfter(store, 4) })),
    listing(many, "by activity, beside a writer", (store) => {
      store.messages.append("s000100", { role: "user", content: "again" });
      return { order: "active" };
    }),
  ];
}
