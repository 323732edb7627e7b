/** How stored entries are read and written. */
export interface EntryOptions {
  /** IANA name of the zone of times without one; the zone of the process when not given. */
  readonly zone?: string;
  /** Platforms the gateway serves; an entry of another one is kept with platform null. Any name when not given. */
  readonly knownPlatforms?: ReadonlySet<string>;
}
