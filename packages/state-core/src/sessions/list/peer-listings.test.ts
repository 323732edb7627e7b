import { describePeer, peerExpected } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { OLD_PEER_FILES, openPeerCopy } from "../../../test/support/peer-expected.js";
import type { PeerDict, PeerOld, PeerSmall } from "../../../test/support/peer-expected.js";
import type { Sessions } from "../sessions.js";
import type { SessionListOptions } from "./session-filter.js";

/** The peer's argument names in ours. */
function toOptions(args: PeerDict): SessionListOptions {
  const { limit, offset, source, session_key, cwd_prefix, min_message_count, id_query, search_query } = args;
  const given = {
    limit,
    offset,
    source,
    sessionKey: session_key,
    cwdPrefix: cwd_prefix,
    minMessageCount: min_message_count,
    idQuery: id_query,
    searchQuery: search_query,
    excludeSources: args["exclude_sources"],
    order: args["order_by_last_active"] ? "active" : undefined,
    archived: args["archived_only"] ? "only" : args["include_archived"] ? "include" : undefined,
    includeChildren: args["include_children"],
    includePinned: args["include_pinned"],
    projectTips: args["project_compression_tips"],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const TRANSLATED = [
  "limit",
  "offset",
  "source",
  "session_key",
  "cwd_prefix",
  "min_message_count",
  "id_query",
  "search_query",
  "exclude_sources",
  "order_by_last_active",
  "archived_only",
  "include_archived",
  "include_children",
  "include_pinned",
  "project_compression_tips",
  // Every listing of ours is compact: it never reads prompts (P24).
  "compact_rows",
];

/**
 * Where a line deliberately differs from the peer's:
 *
 * | session | field | peer | here | rule |
 * |---|---|---|---|---|
 * | shapes | preview | empty | text of the first part | structured content is shown as its text parts (scope) |
 * | comp_tip | title | null | title of its root | a tip without a title keeps the conversation's (COR-31) |
 */
function theirLine(row: PeerDict): PeerDict {
  const { id, preview, title, last_active, unread, started_at, message_count, _lineage_root_id } = row;
  return {
    id,
    preview: id === "shapes" ? "look at this tangelo picture" : preview,
    title: id === "comp_tip" && _lineage_root_id === "comp_root" ? "long walk" : title,
    lastActiveSeconds: last_active,
    unread,
    startedAtSeconds: started_at,
    messageCount: message_count,
    lineageRootId: _lineage_root_id,
  };
}

function ourLines(sessions: Sessions, options: SessionListOptions): PeerDict[] {
  return sessions.list(options).sessions.map((row) => ({
    id: row.id,
    preview: row.preview,
    title: row.title,
    lastActiveSeconds: row.lastActiveSeconds,
    unread: row.unread,
    startedAtSeconds: row.startedAtSeconds,
    messageCount: row.messageCount,
    lineageRootId: row.lineageRootId,
  }));
}

describePeer("COR-31 listings of peer-small equal the peer's", () => {
  describe.each(["read", "write"] as const)("opened for %s", (mode) => {
    it("COR-31 lines and order agree for all recorded combinations", () => {
      using peer = openPeerCopy("peer-small.db", mode);
      const recorded = Object.entries(peerExpected<PeerSmall>("peer-small.db").list_sessions_rich);
      expect(recorded).toHaveLength(18);
      for (const [name, { args, rows }] of recorded) {
        expect(Object.keys(args).filter((key) => !TRANSLATED.includes(key))).toEqual([]);
        expect(ourLines(peer.store.sessions, toOptions(args)), name).toEqual(rows.map(theirLine));
      }
    });

    it("COR-31 one by one through the cursor, every combination gives the same lines", () => {
      using peer = openPeerCopy("peer-small.db", mode);
      const { sessions } = peer.store;
      for (const [name, { args }] of Object.entries(peerExpected<PeerSmall>("peer-small.db").list_sessions_rich)) {
        const { limit: _limit, offset: _offset, includePinned: _pinned, ...filter } = toOptions(args);
        const whole = sessions.list({ ...filter, limit: 1_000 }).sessions.map((row) => row.id);
        expect([...sessions.iterate({ ...filter, limit: 1 })].map((row) => row.id), name).toEqual(whole);
        const { order: _order, projectTips: _project, ...counted } = filter;
        expect(sessions.count(counted), name).toBe(whole.length);
      }
    });

    it("COR-30 COR-31 counts agree", () => {
      using peer = openPeerCopy("peer-small.db", mode);
      const { sessions, messages } = peer.store;
      const { counts } = peerExpected<PeerSmall>("peer-small.db");
      expect(sessions.count({ includeChildren: true })).toBe(counts["all"]);
      expect(sessions.count({ includeChildren: true, archived: "only" })).toBe(counts["archived"]);
      expect(sessions.count({ includeChildren: true, archived: "include" })).toBe(counts["incl"]);
      expect(sessions.count()).toBe(counts["no_children"]);
      expect(Object.fromEntries(sessions.countBySource({ includeChildren: true }))).toEqual(counts.by_source);
      expect(messages.count("shapes", "all")).toBe(counts["shapes"]);
    });

    it("COR-20 ids, prefixes and titles resolve alike", () => {
      using peer = openPeerCopy("peer-small.db", mode);
      const { sessions, titles } = peer.store;
      const expected = peerExpected<PeerSmall>("peer-small.db");
      for (const [text, id] of Object.entries(expected.resolve_title)) expect(titles.resolve(text) ?? null).toBe(id);
      const byId = Object.entries(expected.resolve_session_id).map(([text]) => {
        const found = sessions.resolve(text);
        return [text, found.kind === "session" && found.via !== "title" ? found.sessionId : null];
      });
      expect(Object.fromEntries(byId)).toEqual(expected.resolve_session_id);
      expect(sessions.resolve("pre_fix")).toEqual({ kind: "ambiguous", candidates: ["pre_fix_1", "pre_fix_12"] });
      expect(sessions.resolve("orchid")).toEqual({ kind: "session", sessionId: "branch_marked", via: "title" });
      expect(sessions.resolve("nope")).toEqual({ kind: "none" });
    });

    it("COR-20 every row decodes without damage and agrees with the peer's", () => {
      using peer = openPeerCopy("peer-small.db", mode);
      for (const [id, { session }] of Object.entries(peerExpected<PeerSmall>("peer-small.db").sessions)) {
        const ours = peer.store.sessions.get(id);
        expect(ours.damaged).toEqual([]);
        expect(ours).toMatchObject({
          source: session["source"],
          systemPrompt: session["system_prompt"],
          systemPromptHash: session["system_prompt_hash"],
          endReason: session["end_reason"],
          endedAtSeconds: session["ended_at"],
          archived: session["archived"] === 1,
          inputTokens: session["input_tokens"],
          estimatedCostUsd: session["estimated_cost_usd"],
          compressionFailureCooldownUntilSeconds: session["compression_failure_cooldown_until"],
        });
        const config = session["model_config"] as string | null;
        expect(ours.modelConfig).toEqual(config === null ? null : JSON.parse(config));
      }
    });
  });
});

/**
 * Where the listing of an old file, read as its writer left it, deliberately differs from its writer's own:
 *
 * | files | difference | rule |
 * |---|---|---|
 * | v04 | every row was listed, as with `includeChildren` here | COR-31 |
 * | v06, v08 | branches were hidden; they are conversations of their own | COR-31 |
 * | v06..v26 | structured content had no preview; its text parts are shown | scope |
 * | v08 and later | a tip without a title keeps its root's | COR-31 |
 */
const BRANCH = "20260302_110000_ssss08";
const STRUCTURED = "20260301_120000_mmmm04";

describePeer("COR-31 listings of older files equal their own version's", () => {
  it.each(OLD_PEER_FILES)("COR-31 %s", (name) => {
    const recorded = peerExpected<PeerOld>(name).list_sessions_rich;
    // The oldest version had no such listing; nothing was recorded.
    if (!recorded) {
      expect(name).toBe("peer-v02.db");
      return;
    }
    using peer = openPeerCopy(name, "read");
    const ours = peer.store.sessions.list({ limit: 200, includeChildren: name === "peer-v04.db" }).sessions;
    const lines = ours.filter((row) => row.id !== BRANCH || recorded.some(({ id }) => id === BRANCH));
    expect(lines.map((row) => row.id)).toEqual(recorded.map(({ id }) => id));
    lines.forEach((row, index) => {
      const theirs = recorded[index]!;
      expect(row.lastActiveSeconds, row.id).toBe(theirs.last_active);
      if (row.id !== STRUCTURED) expect(row.preview, row.id).toBe(theirs.preview);
      if (row.lineageRootId === undefined) expect(row.title, row.id).toBe(theirs.title);
    });
  });
});
