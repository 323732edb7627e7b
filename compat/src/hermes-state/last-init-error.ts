let last: string | undefined;

/** Keeps why the last store could not be opened, or forgets it after one that could. */
export function noteInitError(error: unknown): void {
  if (error === undefined) last = undefined;
  else last = error instanceof Error ? error.message : JSON.stringify(error);
}

/** Why the last store of this process could not be opened; null when it could, or none was. */
export function getLastInitError(): string | null {
  return last ?? null;
}
