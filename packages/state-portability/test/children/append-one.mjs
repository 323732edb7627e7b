// Appends one message, as another process does: node append-one.mjs STORE SESSION
import { openStateStore } from "@hermes/state-core";

const [path, session] = process.argv.slice(2);
const store = openStateStore({ path });
store.messages.append(session, { role: "user", content: "one more" });
store.close();
