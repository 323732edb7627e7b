// Starts a script that outlives this process, so that it has no ancestor but init.
// Usage: node start-orphan.mjs RESULT SCRIPT...
// Its output becomes the file RESULT once it is complete. The script ends by itself.
import { spawn } from "node:child_process";

const [result, ...scripts] = process.argv.slice(2);
const program = 'while kill -0 "$PPID_OF_STARTER" 2>/dev/null; do sleep 0.02; done; ' +
  '"$NODE" "$@" >"$RESULT.part" 2>&1; mv "$RESULT.part" "$RESULT"';
const env = { ...process.env, NODE: process.execPath, RESULT: result, PPID_OF_STARTER: String(process.pid) };
spawn("sh", ["-c", program, "orphan", ...scripts], { env, detached: true, stdio: "ignore" }).unref();
