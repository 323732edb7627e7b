// Opens a store where the native binding cannot be loaded, and tells what came of it.
import { existsSync } from "node:fs";

// What the dynamic loader does when the file is missing or was built for another Node.
process.dlopen = () => {
  throw Object.assign(new Error("was compiled against a different Node.js version\nusing NODE_MODULE_VERSION 1."), {
    code: "ERR_DLOPEN_FAILED",
  });
};

const path = process.argv[2];
const { openStateStore } = await import("@hermes/state-core");
try {
  openStateStore({ path });
} catch (error) {
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message, created: existsSync(path) }));
}
