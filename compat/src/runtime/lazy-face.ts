import { dirname } from "node:path";
import type { DeprecatedName } from "./deprecated-name.js";
import { reportUse } from "./report-use.js";
import { useSite } from "./use-site.js";

/** One name of an entry point: how to get the live object, and what its use has to say. */
export interface LazyName {
  readonly name: string;
  readonly load: () => unknown;
  /** Absent for a name that stays. */
  readonly deprecated?: Omit<DeprecatedName, "entry" | "name">;
}

/** dist/runtime and entries, both folders of this package. */
const OWN = [dirname(dirname(__dirname))];

/**
 * Makes the exports of a CommonJS entry point: one getter for each name. Nothing is loaded until a name is read, and
 * each read returns the live object of its home, so that a change there is seen here (CPT-01, CPT-02).
 *
 * @param base - What a hand-written part exports; its names stay as they are and win.
 */
export function defineFace(entry: string, names: readonly LazyName[], base: object = {}): object {
  const face = Object.defineProperty({}, "__esModule", { value: true });
  for (const { name, load, deprecated } of names) {
    const get = (): unknown => {
      if (deprecated) reportUse({ ...deprecated, entry, name }, useSite(OWN));
      return load();
    };
    Object.defineProperty(face, name, { enumerable: true, configurable: true, get });
  }
  return Object.defineProperties(face, Object.getOwnPropertyDescriptors(base));
}
