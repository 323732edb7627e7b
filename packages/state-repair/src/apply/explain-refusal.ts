/** What to do where nothing can be written. */
export const MAKE_WRITABLE = "Make the file and its folder writable and run the repair again.";

const MESSAGE = /[.!?]$/;

/** What to do with a file whose rows, or whose pages, only recovery can save. */
export function recoverAdvice(path: string): string {
  const source = JSON.stringify(path);
  return (
    "Restore a backup, or see what can be read: " +
    `hermes-state recover --source ${source} --inspect-only, then ` +
    `hermes-state recover --source ${source} --output FILE --allow-partial.`
  );
}

/** A refusal in words that ends with the next action. */
export function refusalText(what: string, reasons: readonly string[], action: string): string {
  const why = reasons.slice(0, 3).join("; ");
  const more = reasons.length > 3 ? ` (and ${reasons.length - 3} more)` : "";
  const first = why === "" ? what : `${what}: ${why}${more}`;
  return `${MESSAGE.test(first) ? first : `${first}.`} Nothing was changed. ${action}`;
}
