import type { PluginHit } from "../scan/plugin-hit.js";

/** A plugin that a host is about to load. */
export interface HostedPlugin {
  readonly name: string;
  /** Its folder or its one file, absolute; absent where it has none of its own: then it is not scanned. */
  readonly root?: string | null | undefined;
  /** Loads it. Not called for a plugin that is disabled. */
  readonly load: () => unknown;
}

/** What became of a plugin. `forced`: it was loaded although names of it are gone, since the host was told to. */
export type PluginState = "loaded" | "notice" | "forced" | "disabled" | "failed";

/** A plugin after it was loaded, or not. */
export interface LoadedPlugin {
  readonly name: string;
  readonly state: PluginState;
  /** What `load` returned; undefined where it was not called, or failed. */
  readonly module: unknown;
  /** Why it is disabled, failed, or goes on with a notice; null for a plugin with nothing to say of. */
  readonly reason: string | null;
  readonly hits: readonly PluginHit[];
}
