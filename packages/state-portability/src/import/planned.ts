/** What a dry run would have written by now, over all files of an import. */
export class Planned {
  readonly ids: Set<string> = new Set();
  readonly titles: Set<string> = new Set();
}
