/** The moment in UTC, to the second, as ISO text. */
export function moment(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

/** The day in UTC, `YYYY-MM-DD`. Days of the manifest are compared with it as text. */
export function today(): string {
  return moment().slice(0, 10);
}
