import { inspect } from "node:util";
import { compatMode } from "../config/compat-mode.js";
import type { CompatUse, DeprecatedName, UseSite } from "./deprecated-name.js";
import { registry } from "./registry.js";
import { today } from "./today.js";

/** The name that `process.emitWarning` gives the warnings. */
export const WARNING_NAME = "HermesCompatWarning";

const PACKAGE = "@hermes/compat";

/** What is thrown where `HERMES_STATE_COMPAT=throw`: it has the shape and the brand of a StateError. */
class CompatUseError extends Error {
  override readonly name: string = "StateError";
  readonly code: string = "STATE_E_DEPRECATED_NAME";
  readonly facts: CompatUse;

  constructor(use: CompatUse) {
    super(`${messageOf(use)} ${detailOf(use)}`);
    this.facts = use;
    Object.defineProperty(this, Symbol.for("hermes.state.StateError"), { value: true });
  }
}

function messageOf({ entry, name, replacement, removal }: DeprecatedName): string {
  const end = removal === null ? "is deprecated" : `is kept for plugins until ${removal}`;
  return `${PACKAGE}/${entry} ${name} ${end}. Write instead: ${replacement}`;
}

function detailOf({ plugin, file, line }: UseSite): string {
  if (file === undefined) return "It is not known where it was used.";
  const place = line === undefined ? file : `${file}:${line}`;
  return `Used by ${plugin ?? "a file of no package"} at ${place}. See: hermes-state plugins compat <path>`;
}

/** A listener of the host must not break the plugin, now or later; the host hears of it. */
function warnHost(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : inspect(error));
}

function tell(use: CompatUse): void {
  for (const listener of [...registry().listeners]) {
    try {
      Promise.resolve(listener(use)).catch(warnHost);
    } catch (error) {
      warnHost(error);
    }
  }
}

/**
 * Reports the use of a deprecated name: once for each plugin and name in a process (CPT-04). Listeners hear of it in
 * every mode; `silent` says nothing else, `throw` throws where the name was read.
 *
 * @throws Error with the code `STATE_E_DEPRECATED_NAME`, each time, where the mode is `throw`.
 */
export function reportUse(name: DeprecatedName, site: UseSite): void {
  if (name.warnsFrom === null || today() < name.warnsFrom) return;
  const use: CompatUse = { ...name, ...site };
  const mode = compatMode();
  const pair = `${site.plugin ?? site.file ?? ""} ${name.entry} ${name.name}`;
  const { reported } = registry();
  const first = !reported.has(pair);
  reported.add(pair);
  if (first) tell(use);
  if (mode === "throw") throw new CompatUseError(use);
  if (first && mode === "warn") {
    process.emitWarning(messageOf(name), { type: WARNING_NAME, code: name.code, detail: detailOf(use) });
  }
}
