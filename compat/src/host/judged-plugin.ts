import type { HostedPlugin } from "./plugin.js";
import type { PluginPhase } from "./plugin-phase.js";
import type { HostedScan } from "./scan-hosted.js";

/** A plugin before it is loaded: what it uses, and what that means on the day. */
export interface JudgedPlugin extends HostedScan {
  readonly plugin: HostedPlugin;
  readonly phase: PluginPhase;
}
