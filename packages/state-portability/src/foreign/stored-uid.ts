/** How uids begin that an import of a format has made: rows with other uids are somebody else's. */
export function uidPrefix(format: string): string {
  return `${format}:`;
}

/** Lone surrogates cannot be stored, and a uid must be found again as it was written. */
export function storedUid(format: string, uid: string): string {
  return uidPrefix(format) + uid.toWellFormed();
}
