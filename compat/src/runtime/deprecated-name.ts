/** What a use of a deprecated name has to say. Generated from the manifest into each entry point. */
export interface DeprecatedName {
  /** `HSC` and four digits; never used twice. */
  readonly code: string;
  /** The entry point, without the package: `gateway/session`. */
  readonly entry: string;
  readonly name: string;
  /** What to write instead. */
  readonly replacement: string;
  /** The day from which it is not provided, `YYYY-MM-DD`. */
  readonly removal: string | null;
  /** The day from which its use is reported, `YYYY-MM-DD`. */
  readonly warnsFrom: string | null;
}

/** Where a name was used. */
export interface UseSite {
  /** Name of the package that the file belongs to; undefined where no package.json tells. */
  readonly plugin: string | undefined;
  /** Absolute path; undefined where the stack does not tell. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** One use of a deprecated name, as listeners hear of it. */
export interface CompatUse extends DeprecatedName, UseSite {}
