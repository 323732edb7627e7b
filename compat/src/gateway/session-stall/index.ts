export { formatSessionStallNotification } from "./format-session-stall-notification.js";
export { resolveSessionIdleSecondsFromActivity } from "./resolve-session-idle-seconds-from-activity.js";
export { shouldClearSessionStallNotification } from "./should-clear-session-stall-notification.js";
export { shouldEmitSessionStallNotification } from "./should-emit-session-stall-notification.js";
export type { StallQuestion } from "./stall-question.js";
