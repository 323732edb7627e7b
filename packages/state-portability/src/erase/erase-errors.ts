import { StateError } from "@hermes/state-core";
import type { OtherHolders } from "@hermes/state-core";

/** An open store has a log, and a log keeps bytes. */
export function held(path: string, { connections, processes }: OtherHolders): StateError {
  const who = processes.length > 0 ? `process ${processes.join(", ")}` : `${String(connections)} other handles here`;
  return new StateError(
    "STATE_E_STORE_HELD",
    `Nothing was erased: ${path} is open elsewhere too (${who}), and its log would keep the bytes. Close it ` +
      "there and try again.",
    { path, doing: "erase", processes, connections },
  );
}

/** Nobody knows such a session, and no erasure that had ended early does. */
export function unknownSession(missing: string): StateError {
  return new StateError(
    "STATE_E_SESSION_NOT_FOUND",
    `Nothing was erased: there is no session ${JSON.stringify(missing)}. List them: hermes-state sessions list --all`,
    { sessionId: missing },
  );
}

/** Somebody agreed to something else. */
export function othersThanShown(expected: readonly string[], targets: readonly string[]): StateError {
  return new StateError(
    "STATE_E_TARGETS_CHANGED",
    "Nothing was erased: other sessions would go now than were shown. Look again and repeat it.",
    { expected, targets },
  );
}
