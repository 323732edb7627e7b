import { readdirSync, readFileSync } from "node:fs";
import { systemClock } from "../clock/clock.js";
import type { Clock } from "../clock/clock.js";

const RESERVE = 64;
const CACHE_MS = 250;

let cached: { at: number; open: number } | undefined;

function openDescriptors(clock: Clock): number | undefined {
  const now = clock.monotonicMs();
  if (cached && now - cached.at < CACHE_MS) return cached.open;
  try {
    cached = { at: now, open: readdirSync("/proc/self/fd").length };
    return cached.open;
  } catch (error) {
    // Listing them takes a descriptor itself: that it fails for want of one is the answer.
    return (error as NodeJS.ErrnoException).code === "EMFILE" ? Infinity : undefined;
  }
}

let softLimit: number | undefined;

function descriptorLimit(): number {
  if (softLimit !== undefined) return softLimit;
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    softLimit = line ? Number(line[1]) : Infinity;
  } catch {
    // Not known on this system: no reason to refuse.
    softLimit = Infinity;
  }
  return softLimit;
}

/**
 * True when the process may open more files: at least 64 descriptors stay free for the host. Unmeasurable counts as yes
 * (COR-06).
 */
export function hasSpareDescriptors(clock: Clock = systemClock): boolean {
  const open = openDescriptors(clock);
  return open === undefined || descriptorLimit() - open > RESERVE;
}
