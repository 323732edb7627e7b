import { fileURLToPath } from "node:url";
import { builtPackage } from "@hermes/testkit";

/** Path of a script beside this file; it imports the built package. */
export function childScript(name: string): string {
  builtPackage("state-repair");
  return fileURLToPath(new URL(name, import.meta.url));
}
