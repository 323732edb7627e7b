/** What the environment says about output. `--no-color` and `--json` come before all of it. */
export interface OutputEnvironment {
  /** `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`, undefined when none of them is set. */
  readonly color: boolean | undefined;
}

/** Reads the environment now. */
export function outputEnvironment(): OutputEnvironment {
  const { NO_COLOR: off, FORCE_COLOR: on, TERM: terminal } = process.env;
  if (off !== undefined && off !== "") return { color: false };
  if (on !== undefined) return { color: on !== "0" };
  return { color: terminal === "dumb" ? false : undefined };
}
