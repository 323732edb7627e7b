import type { Reader, SqlValue } from "@hermes/state-schema";
import { walkContinuations } from "../../lineage/walk-continuations.js";
import { activitySql } from "../activity-sql.js";
import { SESSION_DECODER } from "../session-decoder.js";
import type { SessionRow } from "../session-row.js";
import { makePreview, previewHeadSql } from "./preview.js";
import type { SessionSummary } from "./session-summary.js";

const DETAILS = `
  SELECT ${SESSION_DECODER.select("s")}, ${activitySql("s")}, ${previewHeadSql("s")}
  FROM sessions AS s WHERE s.id IN (SELECT value FROM json_each(?))`;

/** What a compacted conversation shows of its tip; everything else is of its first segment. */
const OF_TIP = [
  "id",
  "endedAtSeconds",
  "endReason",
  "messageCount",
  "toolCallCount",
  "model",
  "cwd",
  "gitBranch",
  "gitRepoRoot",
] as const;

interface Described {
  readonly row: SessionRow;
  readonly lastActiveSeconds: number | undefined;
  readonly preview: string;
}

function describe(cells: readonly SqlValue[]): Described {
  const at = SESSION_DECODER.columns.length;
  const activity = cells[at];
  return {
    row: SESSION_DECODER.decode(cells),
    lastActiveSeconds: typeof activity === "number" && activity >= 0 ? activity : undefined,
    preview: makePreview(cells[at + 1] as string | Uint8Array | null),
  };
}

function projected(root: SessionRow, tip: SessionRow): SessionRow {
  const shown: Record<string, unknown> = { ...root };
  for (const key of OF_TIP) shown[key] = tip[key];
  // The tip carries the title once somebody renames it; until then the conversation keeps the old one.
  if (tip.title !== null) Object.assign(shown, { title: tip.title, titleSource: tip.titleSource });
  shown["damaged"] = [...new Set([...root.damaged, ...tip.damaged])];
  return shown as unknown as SessionRow;
}

function summarise(root: Described, tip: Described, chain: readonly string[]): SessionSummary {
  const { lastActiveSeconds, preview } = tip;
  const row = root === tip ? root.row : projected(root.row, tip.row);
  const readAt = row.lastReadAtSeconds ?? undefined;
  return {
    ...row,
    preview,
    lastActiveSeconds,
    unread: readAt !== undefined && lastActiveSeconds !== undefined && lastActiveSeconds > readAt,
    lineageRootId: root === tip ? undefined : root.row.id,
    lineageIds: chain,
  };
}

/**
 * Makes the lines of a listing: three statements however many lines, and of the messages only the heads (P24).
 *
 * @param ids - In the order of the listing; a session deleted meanwhile is left out.
 * @param projectTips - Show a compacted conversation as its tip.
 */
export function describeSessions(r: Reader, ids: readonly string[], projectTips: boolean): SessionSummary[] {
  const chains = projectTips ? walkContinuations(r, ids) : new Map<string, readonly string[]>();
  const chainOf = (id: string): readonly string[] => chains.get(id) ?? [id];
  const wanted = new Set(ids.flatMap((id) => [id, chainOf(id).at(-1) ?? id]));
  const described = new Map<string, Described>();
  for (const cells of r.tuples(DETAILS, [JSON.stringify([...wanted])])) {
    const one = describe(cells);
    described.set(one.row.id, one);
  }
  return ids.flatMap((id) => {
    const chain = chainOf(id);
    const root = described.get(id);
    const tip = described.get(chain.at(-1) ?? id);
    return root && tip ? [summarise(root, tip, chain)] : [];
  });
}
