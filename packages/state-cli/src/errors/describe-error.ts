/** An error as the command reports it. */
export type ErrorDocument = { readonly code: string; readonly message: string } & Readonly<Record<string, unknown>>;

interface Coded {
  readonly code: string;
  readonly message: string;
  readonly facts?: Readonly<Record<string, unknown>>;
}

function isStateLike(error: unknown): error is Error & Coded {
  return error instanceof Error && /^STATE_E_/.test(String((error as { code?: unknown }).code));
}

function isModuleMissing(error: unknown): error is Error & { code: string } {
  return error instanceof Error && (error as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND";
}

/**
 * Turns anything that was thrown into what is reported: typed errors with their facts, misuse of a library call as
 * wrong usage, a missing package with its remedy. Never a stack trace.
 */
export function describeError(error: unknown): ErrorDocument {
  if (isStateLike(error)) return { ...error.facts, code: error.code, message: error.message };
  if (error instanceof TypeError || error instanceof RangeError)
    return { code: "STATE_E_USAGE", message: error.message };
  if (isModuleMissing(error)) {
    const [reason = ""] = error.message.split("\n");
    const message = `A package of this command is missing (${reason}). Reinstall it: npm install`;
    return { code: "STATE_E_PACKAGE_MISSING", message };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "STATE_E_UNEXPECTED", message: `${message} (run again with --debug for the stack trace)` };
}
