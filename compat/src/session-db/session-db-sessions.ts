import { checkKnownOptions } from "@hermes/state-core";
import type { JsonObject, JsonValue, Session, SessionActivity, SessionFields } from "@hermes/state-core";
import { callArguments } from "./call-arguments.js";
import { flagOf } from "./flag-of.js";
import { modelConfig } from "./model-config.js";
import { oneArgument } from "./one-argument.js";
import type { Alone } from "./one-argument.js";
import { ifSessionExists } from "./quiet.js";
import { SessionDbBase } from "./session-db-base.js";

/** What a session is created with, beside its id and source. */
export type CreateSessionOptions = Omit<SessionFields, "id" | "source">;

/** What locks the model of a session for the surface that drives it. */
export interface RuntimeLock {
  readonly model?: string;
  readonly provider?: string;
  readonly modelOptions?: JsonValue;
  readonly routeSource?: string;
  readonly confirmed?: boolean;
}

/** Where a session goes on, beside the folder. */
export interface CwdOptions {
  readonly gitBranch?: string | null;
  readonly gitRepoRoot?: string | null;
  /** Default false. */
  readonly replaceGitMeta?: boolean;
}

/** A sign of life, and what the session says it is doing. */
export interface TouchOptions extends Omit<SessionActivity, "atSeconds"> {
  /** REAL seconds. */
  readonly ts?: number | null;
}

/** Who is billed for a session. */
export interface BillingOptions {
  readonly provider?: string | null;
  readonly baseUrl?: string | null;
  readonly billingMode?: string | null;
}

/** What the old store told about the activity of a session. */
export interface SessionActivityRow {
  readonly lastActivityAt: number | null;
  readonly description: string;
  readonly provenance: string;
}

/** The session part of the one-object store: make, end, change. */
export abstract class SessionDbSessions extends SessionDbBase {
  /** Makes a session, or fills what an existing one lacks: the first writer of a field wins. @returns Its id. */
  createSession(sessionId: string, source: string, options: CreateSessionOptions = {}): string {
    // The part makes up an id where none is given; whoever forgets one here would never find the session again.
    if (typeof sessionId !== "string") throw new TypeError("SessionDB.createSession: the id must be a string.");
    return this.store.sessions.ensure({ ...options, id: sessionId, source }).id;
  }

  /** As {@link SessionDbSessions.createSession}, where nobody knows the source yet. */
  ensureSession(sessionId: string, options?: { readonly source?: string; readonly model?: string | null }): string;
  ensureSession(sessionId: string, source?: string, model?: string | null): string;
  ensureSession(sessionId: string, ...args: readonly unknown[]): string {
    const given = callArguments("SessionDB.ensureSession", args, ["source", "model"]);
    const { source = "unknown", model } = given as { readonly source?: string; readonly model?: string | null };
    return this.createSession(sessionId, source, { ...(model !== undefined && { model }) });
  }

  /** One session with its prompt, or null. */
  getSession(sessionId: string): Session | null {
    const session = this.store.sessions.find(sessionId);
    return session ? this.row(session) : null;
  }

  /** The id that text names: one itself, or the beginning of exactly one; null for none or several. */
  resolveSessionId(sessionIdOrPrefix: string): string | null {
    const found = this.store.sessions.resolve(sessionIdOrPrefix);
    return found.kind === "session" && found.via !== "title" ? found.sessionId : null;
  }

  /** Ends a session unless it has ended; an unknown one is no error. */
  endSession(sessionId: string, endReason: string): void {
    this.store.sessions.end(sessionId, endReason);
  }

  /** Lets an ended session go on; an unknown one is no error. */
  reopenSession(sessionId: string): void {
    ifSessionExists(() => this.store.sessions.reopen(sessionId));
  }

  /** Ends a live session for good, or restamps one that an accident ended. @returns False also for any trouble. */
  promoteToSessionReset(sessionId: string, reason?: Alone<"reason", string>): boolean {
    const why = oneArgument("SessionDB.promoteToSessionReset", "reason", reason) ?? "session_reset";
    try {
      return this.store.sessions.promoteToReset(sessionId, why);
    } catch {
      // As the old store did: whoever resets goes on, and the route decides.
      return false;
    }
  }

  /**
   * Moves a session to another folder. Branch and repository are written where they are given; `replaceGitMeta` forgets
   * what is not given.
   *
   * @returns The generation of its place; null for an unknown session.
   */
  updateSessionCwd(sessionId: string, cwd: string, options?: CwdOptions): number | null;
  updateSessionCwd(
    sessionId: string,
    cwd: string,
    gitBranch?: string | null,
    gitRepoRoot?: string | null,
    replaceGitMeta?: boolean,
  ): number | null;
  updateSessionCwd(sessionId: string, cwd: string, ...args: readonly unknown[]): number | null {
    const what = "SessionDB.updateSessionCwd";
    const given: CwdOptions = callArguments(what, args, ["gitBranch", "gitRepoRoot", "replaceGitMeta"]);
    const { gitBranch, gitRepoRoot } = given;
    const replaceGitMeta = flagOf(`${what}: replaceGitMeta`, given.replaceGitMeta);
    const { sessions } = this.store;
    let generation: number | null = null;
    ifSessionExists(() => {
      const place = { ...(gitBranch && { gitBranch }), ...(gitRepoRoot && { gitRepoRoot }) };
      generation = sessions.updateCwd(sessionId, cwd, place);
      const probe = { cwd, generation, gitBranch: gitBranch || null, gitRepoRoot: gitRepoRoot || null };
      if (replaceGitMeta) sessions.publishGit(sessionId, probe);
    });
    return generation;
  }

  /** Fills in repositories by folder. @returns How many sessions have one now. */
  backfillRepoRoots(cwdToRoot: Readonly<Record<string, string>> | ReadonlyMap<string, string>): number {
    if (typeof cwdToRoot !== "object" || (cwdToRoot as unknown) === null) {
      throw new TypeError("SessionDB.backfillRepoRoots takes an object or a map of folders.");
    }
    const roots = cwdToRoot instanceof Map ? cwdToRoot : new Map(Object.entries(cwdToRoot));
    return this.store.sessions.backfillRepoRoots(roots as ReadonlyMap<string, string>);
  }

  /** Records a sign of life. @param ts - REAL seconds; now when absent. */
  touchSessionActivity(sessionId: string, options?: TouchOptions): boolean;
  touchSessionActivity(sessionId: string, ts?: number | null, options?: TouchOptions): boolean;
  touchSessionActivity(sessionId: string, ...args: readonly unknown[]): boolean {
    const given = callArguments("SessionDB.touchSessionActivity", args, ["ts"], ["description", "provenance"]);
    const { ts, ...labels } = given as TouchOptions;
    return this.store.sessions.touch(sessionId, {
      ...labels,
      ...(ts !== null && ts !== undefined && { atSeconds: ts }),
    });
  }

  /** Removes what a session says it is doing. */
  clearSessionActivityLabels(sessionId: string): boolean {
    return this.store.sessions.clearActivityLabels(sessionId);
  }

  /** What a session says it is doing, and since when; null for an unknown one. */
  getSessionActivity(sessionId: string): SessionActivityRow | null {
    const session = this.store.sessions.find(sessionId);
    if (!session) return null;
    return this.row({
      lastActivityAt: session.lastActivityAtSeconds ?? null,
      description: session.lastActivityDescription ?? "",
      provenance: session.lastActivityProvenance ?? "unknown",
    });
  }

  /** Merges into the model config (JSON text or an object), and sets the model where one is given. */
  updateSessionMeta(
    sessionId: string,
    modelConfigJson: string | JsonObject | null,
    model?: Alone<"model", string | null> | null,
  ): void {
    const what = "SessionDB.updateSessionMeta";
    const config = modelConfig(what, modelConfigJson ?? {});
    const name = oneArgument(what, "model", model);
    ifSessionExists(() => this.store.sessions.updateConfig(sessionId, config));
    if (name) ifSessionExists(() => this.store.sessions.updateModel(sessionId, name));
  }

  /** Replaces the prompt; null removes it. */
  updateSystemPrompt(sessionId: string, systemPrompt: string | null): void {
    ifSessionExists(() => this.store.sessions.updateSystemPrompt(sessionId, systemPrompt));
  }

  /** Switches the model; the prompt that was made for the old one is dropped. */
  updateSessionModel(sessionId: string, model: string): void {
    ifSessionExists(() => this.store.sessions.updateModel(sessionId, model));
  }

  /** Merges into the model config; a null value deletes its key, an unknown session is no error. */
  patchSessionModelConfig(sessionId: string, patch: JsonObject): void {
    ifSessionExists(() => this.store.sessions.updateConfig(sessionId, patch));
  }

  /** One value of the model config. */
  getSessionModelConfigValue(sessionId: string, key: string, fallback?: Alone<"default", JsonValue>): JsonValue {
    const what = "SessionDB.getSessionModelConfigValue";
    const given = callArguments(what, [fallback], ["default"], [], ["default"]) as { readonly default?: JsonValue };
    const config = this.store.sessions.find(sessionId)?.modelConfig ?? {};
    return (Object.hasOwn(config, key) ? config[key] : undefined) ?? given.default ?? null;
  }

  /** Locks the model of a session for the surface that drives it; without a model the lock is taken away. */
  updateSessionRuntimeLock(sessionId: string, lock: RuntimeLock = {}): boolean {
    checkKnownOptions("SessionDB.updateSessionRuntimeLock", lock, [
      "model",
      "provider",
      "modelOptions",
      "routeSource",
      "confirmed",
    ]);
    const { model, provider = null, modelOptions = null, routeSource = null, confirmed = false } = lock;
    const entry: JsonValue = model
      ? {
          model,
          provider,
          model_options: modelOptions,
          route_source: routeSource,
          confirmed,
          updated_at: this.store.clock.now(),
        }
      : null;
    return ifSessionExists(() => this.store.sessions.updateConfig(sessionId, { browser_model_lock: entry }));
  }

  /** Has a session run tools without asking, or ask again. */
  setSessionYolo(sessionId: string, enabled: boolean): boolean {
    return ifSessionExists(() => {
      this.store.sessions.setYolo(sessionId, enabled);
    });
  }

  /** Whether a row of a session says that tools run without asking; false where its config cannot be read. */
  sessionYoloEnabled(sessionMeta: Readonly<Record<string, unknown>> | null | undefined): boolean {
    let config = sessionMeta?.["modelConfig"] ?? sessionMeta?.["model_config"];
    if (typeof config === "string") {
      try {
        config = JSON.parse(config) as unknown;
      } catch {
        // No config that could say so.
        return false;
      }
    }
    return typeof config === "object" && config !== null && "yolo_mode" in config && config.yolo_mode === true;
  }

  /** Sets who is billed from here on; a mode that is not given stays. */
  updateSessionBillingRoute(sessionId: string, options: BillingOptions = {}): void {
    checkKnownOptions("SessionDB.updateSessionBillingRoute", options, ["provider", "baseUrl", "billingMode"]);
    const { provider = null, baseUrl = null, billingMode = null } = options;
    const route = { billingProvider: provider, billingBaseUrl: baseUrl, billingMode };
    ifSessionExists(() => {
      this.store.sessions.updateBillingRoute(sessionId, route);
    });
  }

  /** Gives sessions that workers ran at or below a folder the source kanban, once per folder. */
  retagKanbanWorkerSessions(workspacesRoot: string): number {
    return this.store.sessions.retagWorkers(workspacesRoot);
  }
}
