import type { CompatHit, TextEdit } from "../compat-hit.js";

/** Changes that belong together: all of them are made, or none. */
export type Fix = readonly TextEdit[];

/** Where a name is to be had without the compat layer, as the same object. */
export interface NewHome {
  readonly package: string;
  readonly export: string;
}

/** The focused package of a hit; undefined for a name that a person has to replace. */
export function newHome({ record }: CompatHit): NewHome | undefined {
  const target = record?.target;
  return target?.package === undefined ? undefined : { package: target.package, export: target.export };
}

/** Hits by the package that they move to, in the order of the text. */
export function byPackage(hits: readonly CompatHit[]): Map<string, CompatHit[]> {
  const groups = new Map<string, CompatHit[]>();
  for (const hit of hits) {
    const home = newHome(hit);
    if (home) addTo(groups, home.package, hit);
  }
  return groups;
}

/** Adds to the list under a key. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}
