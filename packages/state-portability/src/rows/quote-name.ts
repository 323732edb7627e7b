/** A table or column name as SQL: names of unknown columns come from files and are never trusted as they are. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
