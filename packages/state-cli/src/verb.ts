import type { ExitCode } from "./errors/exit-code.js";
import type { GlobalOptions } from "./options/global-options.js";
import type { Output } from "./output/output.js";

/** What a verb gets to work with. */
export interface VerbContext {
  readonly output: Output;
  readonly options: GlobalOptions;
  /** Aborted by the first Ctrl-C of a verb that asked for it. */
  readonly signal: AbortSignal;
  /** Ask to be told of Ctrl-C instead of being ended by it. */
  handleInterrupts(): void;
}

/** One verb of the command; its module is loaded when it runs. Ends with an exit code, or throws. */
export type Verb<O> = (context: VerbContext, options: O) => Promise<ExitCode>;
