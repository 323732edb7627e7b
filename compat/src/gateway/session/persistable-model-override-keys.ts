import type { ModelOverride } from "@hermes/gateway-session";

/** What of a chosen model is kept; never a credential (CPT-03). */
export const PERSISTABLE_MODEL_OVERRIDE_KEYS: readonly (keyof ModelOverride)[] = Object.freeze([
  "model",
  "provider",
  "baseUrl",
] as const);
