import type { Writer } from "@hermes/state-schema";
import { checkChoice } from "../codec/check-choice.js";
import { checkText } from "../codec/check-text.js";
import { isJsonObject } from "../codec/json-object.js";
import type { JsonObject } from "../codec/json-value.js";
import { momentOf } from "../codec/seconds.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { StoreContext } from "../store/context.js";
import { encodeToolNames } from "./encode-session.js";
import { backfillRepoRoots, moveSession, publishGit } from "./git-place.js";
import type { GitPlace, GitProbe } from "./git-place.js";
import { addressPrompt } from "./prompts.js";
import { retagWorkers } from "./retag-workers.js";
import { ACTIVITY_PROVENANCES, clearActivityLabels, hasActivityLabels, touchSession } from "./touch-session.js";
import type { SessionActivity } from "./touch-session.js";
import { isYolo, patchConfig, setBillingRoute, setPrompt, setToolNames, switchModel } from "./update-session.js";
import type { BillingRoute } from "./update-session.js";

function checkOptionalText(what: string, value: unknown): void {
  if (value !== null && value !== undefined) checkText(what, value);
}

/** What is said about a session beside its messages: model, prompt, tools, place, signs of life. */
export abstract class SessionMetadata {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * Merges a patch into a session's model config; a null value deletes its key.
   *
   * @returns The config after the merge.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  updateConfig(sessionId: string, patch: JsonObject): JsonObject {
    if (!isJsonObject(patch)) throw new TypeError("sessions.updateConfig: the patch must be an object.");
    return this.#settled("update a session's config", (w) => patchConfig(w, sessionId, patch));
  }

  /**
   * Switches the model of a session; the prompt made for the old one is dropped, and so is the browser's lock on it.
   * Usage that was queued before belongs to the old model.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  updateModel(sessionId: string, model: string): void {
    checkText("sessions.updateModel: model", model);
    this.#settled("switch a session's model", (w) => switchModel(w, sessionId, model));
  }

  /**
   * Sets who is billed for a session from here on; a mode that is not given stays.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  updateBillingRoute(sessionId: string, route: BillingRoute): void {
    const what = "sessions.updateBillingRoute";
    checkKnownOptions(what, route, ["billingProvider", "billingBaseUrl", "billingMode"]);
    checkOptionalText(`${what}: billingProvider`, route.billingProvider);
    checkOptionalText(`${what}: billingBaseUrl`, route.billingBaseUrl);
    checkOptionalText(`${what}: billingMode`, route.billingMode);
    this.#settled("set a session's billing", (w) => setBillingRoute(w, sessionId, route));
  }

  /**
   * Replaces the prompt of a session; null removes it. A prompt that no session uses any more is deleted.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  updateSystemPrompt(sessionId: string, text: string | null): void {
    if (text !== null && typeof text !== "string") throw new TypeError("sessions.updateSystemPrompt: text or null.");
    const prompt = addressPrompt(text);
    this.#context.write("replace a session's prompt", (w) => setPrompt(w, sessionId, prompt));
  }

  /**
   * Replaces the list of tools of a session; null removes it.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  updateToolNames(sessionId: string, names: readonly string[] | null): void {
    const encoded = encodeToolNames("sessions.updateToolNames: names", names);
    this.#context.write("set a session's tools", (w) => setToolNames(w, sessionId, encoded));
  }

  /**
   * Has a session run tools without asking, or ask again.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  setYolo(sessionId: string, on: boolean): void {
    if (typeof on !== "boolean") throw new TypeError("sessions.setYolo: on must be true or false.");
    this.#context.write("set a session's yolo mode", (w) => patchConfig(w, sessionId, { yolo_mode: on }));
  }

  /**
   * Whether a session runs tools without asking; false where its config cannot be read.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  isYolo(sessionId: string): boolean {
    return this.#context.read((r) => isYolo(r, sessionId));
  }

  /**
   * Moves a session to another folder.
   *
   * @param cwd - Absolute path.
   * @returns The generation of its place; an answer about an earlier one is stale.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  updateCwd(sessionId: string, cwd: string, git: GitPlace = {}): number {
    checkText("sessions.updateCwd: cwd", cwd);
    checkKnownOptions("sessions.updateCwd", git, ["gitBranch", "gitRepoRoot"]);
    return this.#context.write("move a session", (w) => moveSession(w, sessionId, cwd, git));
  }

  /**
   * Stores what a slow probe of a working folder found, unless the session has moved since: also when it came back, the
   * probe's answer is an old one.
   *
   * @returns Whether it was stored.
   */
  publishGit(sessionId: string, probe: GitProbe): boolean {
    const what = "sessions.publishGit";
    checkKnownOptions(what, probe, ["cwd", "generation", "gitBranch", "gitRepoRoot"]);
    checkText(`${what}: cwd`, probe.cwd);
    if (!Number.isSafeInteger(probe.generation)) throw new TypeError(`${what}: generation must be a whole number.`);
    checkOptionalText(`${what}: gitBranch`, probe.gitBranch);
    checkOptionalText(`${what}: gitRepoRoot`, probe.gitRepoRoot);
    return this.#context.write("publish a repository", (w) => publishGit(w, sessionId, probe));
  }

  /**
   * Fills in the repository of every session that has none, by its working folder.
   *
   * @param roots - Repository by working folder.
   * @returns How many sessions have one now.
   */
  backfillRepoRoots(roots: ReadonlyMap<string, string>): number {
    for (const [cwd, root] of roots) {
      checkText("sessions.backfillRepoRoots: a folder", cwd);
      checkText("sessions.backfillRepoRoots: a repository", root);
    }
    if (roots.size === 0) return 0;
    return this.#context.write("fill in repositories", (w) => backfillRepoRoots(w, roots));
  }

  /**
   * Gives the sessions that a board's workers ran at or below its workspaces folder the source `kanban`, once per
   * folder.
   *
   * @param workspacesRoot - Absolute path.
   * @returns How many there were; 0 when it was done before.
   */
  retagWorkers(workspacesRoot: string): number {
    checkText("sessions.retagWorkers: the folder", workspacesRoot);
    return this.#context.write("retag workers", (w) => retagWorkers(w, workspacesRoot));
  }

  /**
   * Records a sign of life; it may be dropped when the file stays busy for half a second. Not more than once a minute.
   *
   * @returns Whether it was recorded; false for an unknown session and for an earlier moment than the stored one.
   */
  touch(sessionId: string, activity: SessionActivity = {}): boolean {
    checkKnownOptions("sessions.touch", activity, ["atSeconds", "description", "provenance"]);
    if (activity.provenance !== undefined) {
      checkChoice("sessions.touch: provenance", activity.provenance, ACTIVITY_PROVENANCES);
    }
    const at = momentOf(this.#context.clock, "sessions.touch: atSeconds", activity.atSeconds);
    return this.#context.write("record activity", (w) => touchSession(w, sessionId, at, activity), "activity");
  }

  /**
   * Removes what a session says it is doing; when it was last active stays. Writes nothing when there is nothing.
   *
   * @returns Whether there was anything to remove.
   */
  clearActivityLabels(sessionId: string): boolean {
    if (!this.#context.read((r) => hasActivityLabels(r, sessionId))) return false;
    this.#context.write("clear activity", (w) => clearActivityLabels(w, sessionId), "activity");
    return true;
  }

  /** A write that must not overtake usage that was queued before it. */
  #settled<T>(label: string, fn: (w: Writer) => T): T {
    this.#context.settleUsage("write");
    return this.#context.write(label, fn);
  }
}
