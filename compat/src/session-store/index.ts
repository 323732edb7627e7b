export { loadSessionStore } from "./load-session-store.js";
export type { SessionStoreSnapshot } from "./load-session-store.js";
export { resolveSessionFilePath } from "./resolve-session-file-path.js";
export type { SessionFilePathOptions } from "./resolve-session-file-path.js";
export { resolveSessionStoreEntry } from "./resolve-session-store-entry.js";
export type { SessionStoreEntry, SessionStoreQuestion } from "./resolve-session-store-entry.js";
export { updateSessionStore } from "./update-session-store.js";
