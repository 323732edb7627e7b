import type { BundleRefusal } from "./bundle-result.js";

type Facts = Partial<Pick<BundleRefusal, "freeBytes" | "neededBytes" | "headroomBytes" | "cause">>;

/** A full or failing volume spends an attempt (REP-03); what a person can end by closing a program does not. */
export function refuseBundle(reason: BundleRefusal["reason"], message: string, facts: Facts = {}): BundleRefusal {
  const { freeBytes, neededBytes, headroomBytes, cause } = facts;
  const countsAsPass = reason === "space" || reason === "failed";
  return { kind: "refused", reason, countsAsPass, message, freeBytes, neededBytes, headroomBytes, cause };
}
