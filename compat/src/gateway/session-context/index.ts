export { asyncDeliverySupported, declareStatelessChannel } from "./async-delivery.js";
export { clearSessionVars } from "./clear-session-vars.js";
export { scopedCurrentSessionId, setCurrentSessionId } from "./current-session-id.js";
export { getSessionEnv } from "./get-session-env.js";
export { NON_MESSAGING_SESSION_SURFACES, sessionIsMessagingSurface } from "./messaging-surface.js";
export { resetSessionVars } from "./reset-session-vars.js";
export { sessionContextEngaged } from "./session-context-engaged.js";
export { setSessionVars } from "./set-session-vars.js";
export type { SessionVars, SessionVarTokens } from "./set-session-vars.js";
