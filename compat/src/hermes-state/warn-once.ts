const warned = new Set<string>();

/** Warns once per process, code and subject. */
export function warnOnce(code: string, subject: string, message: string): void {
  const key = `${code}\0${subject}`;
  if (warned.has(key)) return;
  warned.add(key);
  process.emitWarning(message, { type: "HermesStateWarning", code });
}
