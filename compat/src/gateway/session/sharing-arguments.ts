import type { SharingPolicy } from "@hermes/gateway-session";
import { callArguments } from "../../session-db/call-arguments.js";

function flag(what: string, name: string, value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return value;
  throw new TypeError(`${what}: ${name} must be a boolean, not ${typeof value}.`);
}

/**
 * Reads what follows the source in the old functions.
 *
 * @returns Who shares a conversation, and the profile when it was given.
 * @throws TypeError for a wrong type or an unknown name.
 */
export function sharingArguments(
  what: string,
  args: readonly unknown[],
  more: readonly "profile"[] = [],
): { readonly sharing: SharingPolicy; readonly profile?: string } {
  const given = callArguments(what, args, ["groupSessionsPerUser", "threadSessionsPerUser", ...more]);
  const groups = flag(what, "groupSessionsPerUser", given["groupSessionsPerUser"]);
  const threads = flag(what, "threadSessionsPerUser", given["threadSessionsPerUser"]);
  const profile = given["profile"] ?? undefined;
  if (profile !== undefined && typeof profile !== "string") {
    throw new TypeError(`${what}: profile must be a string, not ${typeof profile}.`);
  }
  const sharing = {
    ...(groups !== undefined && { groupSessionsPerUser: groups }),
    ...(threads !== undefined && { threadSessionsPerUser: threads }),
  };
  return profile === undefined ? { sharing } : { sharing, profile };
}
