/** The day in UTC, `YYYY-MM-DD`. Days of the manifest are compared with it as text. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
