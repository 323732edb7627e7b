/** When a conversation starts over by itself. */
export type ResetMode = "none" | "idle" | "daily" | "both";

/** When a conversation starts over by itself, and who is told (GWS-03). */
export interface ResetPolicy {
  /** Default "none": time never replaces a conversation. */
  readonly mode: ResetMode;
  /** The hour of the local day at which a daily conversation ends, 0 to 23. Default 4. */
  readonly atHour: number;
  /** How long a conversation may rest before it ends. Default 1440. */
  readonly idleMinutes: number;
  /** Whether the peer is told that its conversation started over. Default true. */
  readonly notify: boolean;
  /** Platforms that are never told. Default api_server and webhook. */
  readonly notifyExclude: readonly string[];
  /** Work in the background that has run for longer no longer keeps a conversation. Default 24; 0: none ever does. */
  readonly backgroundMaxAgeHours: number;
  /** How long an interrupted turn may be taken up again. Default 3600; 0 or less: for ever. */
  readonly resumeFreshnessSeconds: number;
}

/** What holds where a policy says nothing. */
export const DEFAULT_RESET_POLICY: ResetPolicy = {
  mode: "none",
  atHour: 4,
  idleMinutes: 1440,
  notify: true,
  notifyExclude: ["api_server", "webhook"],
  backgroundMaxAgeHours: 24,
  resumeFreshnessSeconds: 3600,
};
