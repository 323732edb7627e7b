import { Option } from "commander";
import type { Command } from "commander";
import type { OutputMode } from "../output/output.js";

/** Options that every command takes, wherever they stand on the line. */
export interface GlobalOptions {
  readonly db?: string;
  readonly home?: string;
  readonly readonly?: boolean;
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  readonly color?: boolean;
  readonly debug?: boolean;
}

const GROUP = "Everywhere:";

/**
 * Gives a command the options of {@link GlobalOptions}.
 *
 * @param without - Long names that the command uses for something of its own.
 */
export function addGlobalOptions(command: Command, without: readonly string[] = []): Command {
  const options: readonly (readonly [string, string])[] = [
    ["--db <file>", "the store (default: state.db in the home)"],
    ["--home <folder>", "the home (default: HERMES_HOME, else ~/.hermes)"],
    ["--readonly", "never write; refuse what would"],
    ["--json", "print one JSON document"],
    ["--jsonl", "print one JSON record per line"],
    ["--quiet", "no notices"],
    ["--yes", "do not ask"],
    ["--no-color", "no colours"],
    ["--debug", "stack traces of errors"],
  ];
  const kept = options.filter(([flags]) => !without.some((name) => flags.startsWith(`--${name}`)));
  for (const [flags, description] of kept) command.addOption(new Option(flags, description).helpGroup(GROUP));
  return command;
}

/** The global options in effect: those of the command itself, then of its parents; defaults do not count. */
export function readGlobalOptions(command: Command): GlobalOptions {
  const chain: Command[] = [];
  for (let at: Command | null = command; at; at = at.parent) chain.unshift(at);
  const given: Record<string, unknown> = {};
  for (const at of chain) {
    for (const [name, value] of Object.entries(at.opts())) {
      if (at.getOptionValueSource(name) !== "default") given[name] = value;
    }
  }
  return given;
}

/** How to answer, by the options. */
export function outputModeOf(options: GlobalOptions): OutputMode {
  if (options.json) return "json";
  // `sessions append` has a --jsonl of its own, which names a file.
  return options.jsonl === true ? "jsonl" : "human";
}
