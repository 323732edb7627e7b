import { statSync } from "node:fs";
import { systemClock } from "@hermes/state-core";
import { engineTrouble } from "../check/engine-error.js";
import { choosePlace } from "../check/file/choose-place.js";
import type { CheckPlace } from "../check/file/choose-place.js";
import { lookAtFile } from "../check/file/look-at-file.js";
import { openSession } from "../check/file/open-session.js";
import { holdersCount } from "./holders-count.js";
import { readStats } from "./read-stats.js";
import type { StoreStats } from "./store-stats.js";
import { unknownStats } from "./store-stats.js";

/**
 * Collects facts about a store without changing or creating anything (REP-11). Never fails: what cannot be found out is
 * null, and for a file that is not there everything is.
 *
 * @example
 * ```ts
 * const { logicalSizeBytes, messages, holdersCount } = await collectStats("state.db");
 * ```
 */
export async function collectStats(path: string): Promise<StoreStats> {
  try {
    const look = lookAtFile(path, systemClock);
    const unknown = unknownStats(path, look.kind !== "missing");
    if (look.kind === "missing") return unknown;
    const outside = { holdersCount: holdersCount(path), walSizeBytes: logSize(path) };
    if (look.kind !== "database") return { ...unknown, ...outside };
    return { ...unknown, ...(await inside(look.path)), ...outside };
  } catch {
    // No fact at all; whoever asks for the reason checks the store.
    return unknownStats(path, true);
  }
}

async function inside(path: string): Promise<Partial<StoreStats>> {
  try {
    return await statsAt(path, choosePlace(path));
  } catch (error) {
    // An interrupted transaction is finished in a copy; anything else leaves what was seen from outside.
    return engineTrouble(error) === "journal" ? await statsAt(path, "copy") : {};
  }
}

async function statsAt(path: string, place: CheckPlace): Promise<Partial<StoreStats>> {
  using session = await openSession(path, place, {});
  try {
    session.r.get("SELECT 1 AS found FROM main.sqlite_master LIMIT 1");
  } catch (error) {
    if (engineTrouble(error) === "journal") throw error;
    // Damage of the schema hides some of the facts, and each is asked on its own.
  }
  return readStats(session.r);
}

function logSize(path: string): number | null {
  try {
    return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    // As above.
    return null;
  }
}
