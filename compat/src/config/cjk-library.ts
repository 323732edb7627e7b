const OFF: ReadonlySet<string> = new Set(["0", "false", "off", "no"]);

/** `HERMES_FTS5_CJK_SO`: where the tokenizer lies, instead of in the home. */
export function cjkLibraryOverride(): string | undefined {
  return process.env["HERMES_FTS5_CJK_SO"] || undefined;
}

/** `HERMES_CJK_FTS`: whether the tokenizer may be loaded at all. Default: it may. */
export function isCjkWanted(): boolean {
  return !OFF.has((process.env["HERMES_CJK_FTS"] ?? "").trim().toLowerCase());
}
