import type { DeprecatedName, UseSite } from "../runtime/deprecated-name.js";

/** What the hook tells of a file that imports names which do not stay. */
export interface NotedUse {
  readonly name: DeprecatedName;
  readonly site: UseSite;
}
