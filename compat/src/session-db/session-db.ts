import { SessionDbPortability } from "./session-db-portability.js";

/** The whole store as one object, with the familiar names; see compat/README.md. */
export class SessionDB extends SessionDbPortability {}
