import type { Options } from "tsup";
import { base } from "../tsup.base.js";

/** One ESM module for each home of names; shared code lies in chunks, so a class exists once. */
const config: Options = {
  ...base,
  entry: [
    "src/analyser/index.ts",
    "src/cli/index.ts",
    "src/eslint/index.ts",
    "src/host/index.ts",
    "src/gateway/session/index.ts",
    "src/gateway/session-store/index.ts",
    "src/gateway/session-context/index.ts",
    "src/gateway/session-stall/index.ts",
    "src/gateway/session-state/index.ts",
    "src/hermes-state-common/index.ts",
    "src/hermes-state-schema/index.ts",
    "src/hermes-state/index.ts",
    "src/register/hooks.ts",
    "src/register/index.ts",
    "src/session-db/index.ts",
    "src/session-store/index.ts",
    "src/session-db/serve-session-db.ts",
  ],
  esbuildOptions: (options) => void (options.outbase = "src"),
};

export default config;
