export { loadPlugins } from "./load-plugins.js";
export type { LoadPluginsOptions } from "./load-plugins.js";
export { onCompatUse } from "./on-compat-use.js";
export type { HostedPlugin, LoadedPlugin, PluginState } from "./plugin.js";
export { pluginPhase } from "./plugin-phase.js";
export type { PluginPhase } from "./plugin-phase.js";
export type { CompatReport } from "./write-report.js";
export type { CompatUse, DeprecatedName, UseSite } from "../runtime/deprecated-name.js";
export type { PluginHit } from "../scan/plugin-hit.js";
