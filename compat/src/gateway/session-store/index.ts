export { SessionStore, SessionStore as AsyncSessionStore } from "./session-store.js";
export type { SessionStoreOptions } from "./session-store-options.js";
