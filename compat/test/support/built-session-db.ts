import { createRequire } from "node:module";
import { builtPackage } from "@hermes/testkit";
import type * as SessionDbModule from "../../src/session-db/index.js";

/**
 * The build of the one-object store, loaded by Node itself: its worker is a file of the build, and what the build
 * imports must not be replaced by the sources.
 */
export function builtSessionDb(): typeof SessionDbModule {
  builtPackage("state-core");
  return createRequire(import.meta.url)("../../dist/session-db/index.js") as typeof SessionDbModule;
}
