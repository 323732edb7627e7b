import { checkKnownOptions } from "@hermes/state-core";
import type { PendingProperties } from "../entry/routing-entry.js";

const FLAGS = ["hidden", "pinned", "archived"] as const;

/** @throws TypeError for an unknown property or a wrong type. */
export function checkProperties(what: string, properties: PendingProperties): void {
  checkKnownOptions(what, properties, ["title", ...FLAGS]);
  const { title } = properties;
  if (title !== undefined && (typeof title !== "string" || title.trim() === "")) {
    throw new TypeError(`${what}: title must be text that is not empty.`);
  }
  for (const flag of FLAGS) {
    const value: unknown = properties[flag];
    if (value !== undefined && typeof value !== "boolean") throw new TypeError(`${what}: ${flag} must be a boolean.`);
  }
}
