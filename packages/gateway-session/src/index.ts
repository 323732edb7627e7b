export type { ModelOverride, PendingProperties, RouteStep, RoutingEntry } from "./entry/routing-entry.js";
export type { KeyedSession, SessionStanding, SessionStoragePort, StoredRoute } from "./port/session-storage-port.js";
export type { MessageSource, SharingPolicy } from "./source/message-source.js";
