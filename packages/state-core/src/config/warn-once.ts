const warned = new Set<string>();

/**
 * Emits a process warning once per code and subject, so that a long-lived process does not repeat itself.
 *
 * @param code - Stable code a host can filter by, such as "HERMES_STATE_WAL".
 * @param subject - What it is about, usually the path.
 */
export function warnOnce(code: string, subject: string, message: string): void {
  const key = `${code}\0${subject}`;
  if (warned.has(key)) return;
  warned.add(key);
  process.emitWarning(message, { type: "HermesStateWarning", code });
}
