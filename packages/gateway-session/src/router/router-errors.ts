import { StateError } from "@hermes/state-core";

/** Others moved a route each time this one was about to. */
export function routeContested(sessionKey: string): StateError {
  return new StateError(
    "STATE_E_ROUTE_CONTESTED",
    `The route of ${sessionKey} was moved by another process each time. Try again; if it stays so, look for two ` +
      "gateways that answer the same peer.",
    { sessionKey },
  );
}

/** There is no such session to lead a peer into. */
export function sessionUnknown(sessionId: string): StateError {
  return new StateError(
    "STATE_E_SESSION_NOT_FOUND",
    `There is no session ${sessionId}. Look for it in the list of sessions.`,
    { sessionId },
  );
}

/** A session is another peer's at the moment. */
export function sessionRouted(sessionId: string, sessionKey: string): StateError {
  return new StateError(
    "STATE_E_SESSION_ROUTED",
    `The session ${sessionId} is where ${sessionKey} talks. Reset that route first, or switch with takeOver: true.`,
    { sessionId, sessionKey },
  );
}

/** A key that could lead out of a folder, or could not be stored. */
export function unsafeKey(sessionKey: string, objection: string): StateError {
  return new StateError(
    "STATE_E_BAD_SESSION_KEY",
    `${JSON.stringify(sessionKey)} is not used as a session key: ${objection}. Send ids without "..", NUL and ` +
      "halves of characters.",
    { sessionKey, objection },
  );
}
