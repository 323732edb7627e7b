export type { ModelOverride, PendingProperties, RouteStep, RoutingEntry } from "./entry/routing-entry.js";
export type { KeyedSession, SessionStanding, SessionStoragePort, StoredRoute } from "./port/session-storage-port.js";
export type { MessageSource, SharingPolicy } from "./source/message-source.js";

export { backgroundActive } from "./policy/background-active.js";
export type { BackgroundProbe } from "./policy/background-active.js";
export { checkResetPolicy } from "./policy/check-reset-policy.js";
export { dailyBoundary } from "./policy/daily-boundary.js";
export { finalizeExpiry, isFinalizable } from "./policy/expiry.js";
export type { ExpiryFinalization, ExpiryQuestion } from "./policy/expiry.js";
export { nextReset } from "./policy/next-reset.js";
export type { NextReset } from "./policy/next-reset.js";
export { checkResetPolicies, notifiesReset, resolvePolicy } from "./policy/reset-policies.js";
export type { PolicySource, ResetPolicies, ResetPolicySettings } from "./policy/reset-policies.js";
export { DEFAULT_RESET_POLICY } from "./policy/reset-policy.js";
export type { ResetMode, ResetPolicy } from "./policy/reset-policy.js";
export { resetReason } from "./policy/reset-reason.js";
export type { ResetQuestion, ResetReason, ResetState } from "./policy/reset-reason.js";
export { checkTimeZone, systemZone } from "./policy/wall-clock.js";
