import { runStateStoreContract } from "@hermes/testkit";
import { openStateStore } from "../src/index.js";

runStateStoreContract("openStateStore", { open: (path) => openStateStore({ path }) });
