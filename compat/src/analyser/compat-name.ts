/** What the manifest says of one name. */
export interface CompatName {
  /** `HSC` and four digits. */
  readonly code: string;
  /** The entry point, without the package: `gateway/session`. */
  readonly entry: string;
  readonly name: string;
  readonly kind: string;
  readonly status: "stable" | "deprecated" | "removed";
  /** Where the name lives now; a `package` is a focused one that a plugin imports instead. */
  readonly target: { readonly package?: string; readonly module?: string; readonly export: string } | null;
  readonly removal: string | null;
  readonly replacement: string | null;
}

/** Which names are looked for: those that do not stay, or every use of the layer. */
export type Wanted = "deprecated" | "all";

/** The package whose entry points the names are of. */
export const PACKAGE = "@hermes/compat";

/** A path below the package; a text that goes on otherwise speaks of something else. */
const SUBPATH = /^[\w-]+(?:\/[\w-]+)*(?:\.json)?$/;

/** The names of the manifest, by module specifier. */
export class NameBook {
  readonly #entries = new Map<string, Map<string, CompatName>>();
  /** Whether every use of the layer is looked for, of entry points too that the manifest has no names of. */
  readonly all: boolean;

  constructor(records: readonly CompatName[], wanted: Wanted = "deprecated") {
    this.all = wanted === "all";
    for (const record of records) {
      const names = this.#entries.get(record.entry) ?? new Map<string, CompatName>();
      this.#entries.set(record.entry, names.set(record.name, record));
    }
  }

  /** The entry point that a module specifier means, in full and not relative; undefined for any other module. */
  entryOf(specifier: unknown): string | undefined {
    if (typeof specifier !== "string") return undefined;
    if (specifier === PACKAGE) return this.all ? "" : undefined;
    const entry = specifier.startsWith(`${PACKAGE}/`) ? specifier.slice(PACKAGE.length + 1) : undefined;
    return entry !== undefined && (this.#entries.has(entry) || (this.all && SUBPATH.test(entry))) ? entry : undefined;
  }

  /** A name that is looked for; undefined for one that stays or that the entry point does not have. */
  find(entry: string, name: string): CompatName | undefined {
    const record = this.#entries.get(entry)?.get(name);
    return record && this.#counts(record) ? record : undefined;
  }

  /** Whether anything of an entry point is looked for: then a use of the whole module counts. */
  concerns(entry: string): boolean {
    return this.all || [...(this.#entries.get(entry)?.values() ?? [])].some((record) => this.#counts(record));
  }

  /** What text names that is `entry.name` in full, with the package or without. */
  findDotted(text: string): CompatName | undefined {
    const plain = text.startsWith(`${PACKAGE}/`) ? text.slice(PACKAGE.length + 1) : text;
    const dot = plain.lastIndexOf(".");
    return dot <= 0 ? undefined : this.find(plain.slice(0, dot), plain.slice(dot + 1));
  }

  #counts({ status }: CompatName): boolean {
    return this.all || status !== "stable";
  }
}
