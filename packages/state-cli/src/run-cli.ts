import { Command, CommanderError } from "commander";
import { outputEnvironment } from "./config/environment.js";
import { describeError } from "./errors/describe-error.js";
import { EXIT, exitCodeOf } from "./errors/exit-code.js";
import type { ExitCode } from "./errors/exit-code.js";
import { Interrupted } from "./errors/interrupted.js";
import { outputModeOf, readGlobalOptions } from "./options/global-options.js";
import type { GlobalOptions } from "./options/global-options.js";
import { Output, PipeClosed } from "./output/output.js";
import { buildProgram } from "./program.js";
import type { RunVerb } from "./program.js";
import type { Verb, VerbContext } from "./verb.js";

function outputFor(options: GlobalOptions): Output {
  const color = options.color === false ? false : outputEnvironment().color;
  return new Output({ mode: outputModeOf(options), quiet: options.quiet ?? false, color });
}

function contextFor(output: Output, options: GlobalOptions): VerbContext {
  const controller = new AbortController();
  return {
    output,
    options,
    signal: controller.signal,
    handleInterrupts() {
      const interrupt = (): void => {
        if (controller.signal.aborted) process.exit(EXIT.interrupted);
        controller.abort(new Interrupted());
      };
      process.on("SIGINT", interrupt);
      process.on("SIGTERM", interrupt);
    },
  };
}

function isPipeClosed(error: unknown): boolean {
  return error instanceof PipeClosed || (error as { code?: unknown } | null)?.code === "EPIPE";
}

/** Turns whatever a verb threw into an exit code, and says it once on standard error. */
function report(output: Output, options: GlobalOptions, error: unknown): ExitCode {
  if (isPipeClosed(error)) return EXIT.done;
  const document = describeError(error);
  output.error(document);
  if (options.debug) output.trace(error);
  return exitCodeOf(document.code);
}

/** Options of a line that commander refused, as far as they can be read from its words. */
function optionsOfWords(words: readonly string[]): GlobalOptions {
  return { json: words.includes("--json"), jsonl: words.includes("--jsonl") };
}

function isHelp(error: CommanderError): boolean {
  return (
    error.code === "commander.helpDisplayed" || error.code === "commander.version" || error.code === "commander.help"
  );
}

/** Tells a wrong line from a line that asked for help; commander has printed help itself. */
function reportUsage(words: readonly string[], error: CommanderError): ExitCode {
  if (isHelp(error) && error.exitCode === 0) return EXIT.done;
  if (!isHelp(error)) {
    const message = error.message.replace(/^error: /, "").replace(/\n\s*/g, " ");
    outputFor(optionsOfWords(words)).error({ code: "STATE_E_USAGE", message: `${message} (see --help)` });
  }
  return EXIT.usage;
}

/**
 * Every command of the tree speaks through us: errors are ours to print, help of a wrong line goes to standard error.
 */
function quieten(command: Command): void {
  command.exitOverride();
  command.configureOutput({ outputError: () => undefined });
  for (const child of command.commands) quieten(child);
}

/**
 * Runs one command line.
 *
 * @param words - What follows the command's name.
 * @returns The exit code (docs of the command: 0 done, 1 findings or failed, 2 usage, 3 not found, 4 busy, 5 corrupt,
 * 130 interrupted).
 */
export async function runCli(words: readonly string[]): Promise<ExitCode> {
  let exit: ExitCode = EXIT.done;
  const run: RunVerb = async (command, load, verbOptions) => {
    const options = readGlobalOptions(command);
    const output = outputFor(options);
    try {
      const verb = (await load()) as Verb<object>;
      exit = await verb(contextFor(output, options), verbOptions);
    } catch (error) {
      exit = report(output, options, error);
    }
  };
  const program = buildProgram(run);
  quieten(program);
  try {
    await program.parseAsync(words, { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return reportUsage(words, error);
    return report(outputFor(optionsOfWords(words)), {}, error);
  }
}
