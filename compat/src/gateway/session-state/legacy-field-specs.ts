/** Where the values of an old map are kept now. */
export interface LegacyFieldSpec {
  readonly scope: "turn" | "conversation" | "persistent";
  readonly field: string;
}

const spec = (scope: LegacyFieldSpec["scope"], field: string): LegacyFieldSpec => Object.freeze({ scope, field });

/** The maps by session key that a gateway once had, and where their values are kept now (CPT-03). */
export const LEGACY_FIELD_SPECS: Readonly<Record<string, LegacyFieldSpec>> = Object.freeze({
  runningAgents: spec("turn", "agent"),
  runningAgentsTs: spec("turn", "startedAtSeconds"),
  activeSessionLeases: spec("turn", "lease"),
  busyAckTs: spec("turn", "busyAckAtSeconds"),
  sessionModelOverrides: spec("conversation", "modelOverride"),
  oneTurnModelRestore: spec("conversation", "oneTurnRestore"),
  sessionReasoningOverrides: spec("conversation", "reasoningOverride"),
  sessionServiceTiers: spec("conversation", "serviceTier"),
  lastResolvedModel: spec("conversation", "lastResolvedModel"),
  queuedEvents: spec("conversation", "queuedEvents"),
  sidecarNotes: spec("conversation", "sidecarNotes"),
  ephemeralPins: spec("conversation", "ephemeralPin"),
  updatePromptPending: spec("persistent", "updatePromptPending"),
  pendingImagePaths: spec("persistent", "imagePaths"),
  pendingText: spec("persistent", "pendingText"),
  sessionRunGeneration: spec("persistent", "runGeneration"),
  hygieneFailureStreaks: spec("persistent", "hygieneFailureStreak"),
});
