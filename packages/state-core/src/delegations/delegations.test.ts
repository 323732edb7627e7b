import { describe, expect, it } from "vitest";
import { openTestStore, sql } from "../../test/support/open-test-store.js";
import { failAtEveryStatement } from "../../test/support/every-statement.js";
import type { DelegationFields } from "../index.js";

const NEW = { originSession: "agent:main", state: "running", dispatchedAtSeconds: 10 };

describe("delegations", () => {
  it("COR-36 stores every field, changes only what is given, and keeps JSON text as it is", () => {
    using test = openTestStore();
    const { delegations } = test.store;
    const all: DelegationFields = {
      ...NEW,
      originUiSessionId: "ui",
      parentSessionId: "parent",
      completedAtSeconds: 20,
      eventJson: '{"a":1}',
      resultJson: '{"b": 2}',
      deliveryState: "pending",
      deliveryAttempts: 3,
      deliveredAtSeconds: 30,
      ownerPid: 4,
      ownerStartedAt: 5,
      taskJson: "no json",
      deliveryClaim: "c",
      deliveryClaimedAtSeconds: 40,
      originSessionId: "s1",
    };
    delegations.save("d1", all);
    expect(delegations.find("d1")).toEqual({ ...all, delegationId: "d1", updatedAtSeconds: test.clock.now(), damaged: [] });
    test.clock.advance(1000);
    delegations.save("d1", { state: "done", completedAtSeconds: null });
    expect(delegations.find("d1")).toMatchObject({
      ...all,
      state: "done",
      completedAtSeconds: null,
      updatedAtSeconds: test.clock.now(),
    });
    expect(delegations.find("nope")).toBeUndefined();
  });

  it("COR-36 lists by conditions, the first dispatched first, and deletes", () => {
    using test = openTestStore();
    const { delegations } = test.store;
    delegations.save("late", { ...NEW, dispatchedAtSeconds: 30 });
    delegations.save("early", NEW);
    delegations.save("done", { ...NEW, state: "done", parentSessionId: "p", deliveryState: "delivered" });
    const ids = (filter = {}): unknown[] => delegations.list(filter).map((row) => row.delegationId);
    expect(ids()).toEqual(["done", "early", "late"]);
    expect(ids({ state: "running" })).toEqual(["early", "late"]);
    expect(ids({ deliveryState: "delivered", parentSessionId: "p", originSession: "agent:main" })).toEqual(["done"]);
    expect([delegations.delete("late"), delegations.delete("late")]).toEqual([true, false]);
    expect(ids()).toEqual(["done", "early"]);
  });

  it("COR-36 a delivery has one claim until its time is over; only the claim that holds marks it delivered", () => {
    using test = openTestStore();
    const { delegations } = test.store;
    delegations.save("d1", NEW);
    expect([delegations.claimDelivery("d1", "a"), delegations.claimDelivery("d1", "b")]).toEqual([true, false]);
    test.clock.advance(301_000);
    expect(delegations.claimDelivery("d1", "b")).toBe(true);
    expect([delegations.markDelivered("d1", "a"), delegations.markDelivered("d1", "b")]).toEqual([false, true]);
    expect(delegations.find("d1")).toMatchObject({
      deliveryState: "delivered",
      deliveryAttempts: 2,
      deliveredAtSeconds: test.clock.now(),
      deliveryClaim: null,
    });
    expect(delegations.claimDelivery("d1", "c")).toBe(false);
    expect(delegations.claimDelivery("nope", "c")).toBe(false);
  });

  it("COR-36 a damaged cell is named and spoils no neighbour", () => {
    using test = openTestStore();
    const { delegations } = test.store;
    delegations.save("d1", NEW);
    sql(test.store, "UPDATE async_delegations SET dispatched_at = 'soon', owner_pid = 'x'");
    expect(delegations.find("d1")).toMatchObject({
      dispatchedAtSeconds: undefined,
      ownerPid: undefined,
      state: "running",
      damaged: ["dispatchedAtSeconds", "ownerPid"],
    });
  });

  it("COR-36 refuses misuse", () => {
    using test = openTestStore();
    const { delegations } = test.store;
    expect(() => delegations.save("d1", {})).toThrow(TypeError);
    expect(() => delegations.save("d1", { ...NEW, ownerPid: "1" as unknown as number })).toThrow(TypeError);
    expect(() => delegations.save("d1", { ...NEW, state: null })).toThrow(TypeError);
    expect(() => delegations.save("d1", { ...NEW, stat: "x" } as DelegationFields)).toThrow(TypeError);
    expect(() => delegations.list({ stat: "x" } as object)).toThrow(TypeError);
    expect(() => delegations.claimDelivery("d1", "a", { ttlSeconds: 0 })).toThrow(RangeError);
    expect(delegations.list()).toEqual([]);
  });

  it.each([["new"], ["there already"]])("COR-36 saving one that is %s does all or nothing", (which) => {
    using after = failAtEveryStatement({
      lay: (store) => {
        if (which !== "new") store.delegations.save("d1", NEW);
      },
      act: (store) => {
        store.delegations.save("d1", { ...NEW, state: "done" });
      },
    });
    expect(after.store.delegations.find("d1")?.state).toBe("done");
  });
});
