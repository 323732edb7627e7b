import { Argument, Command, Option } from "commander";
import type { ExitCode } from "./errors/exit-code.js";
import { addGlobalOptions } from "./options/global-options.js";
import { collect, moment, wholeNumber } from "./options/parse-values.js";
import { VERSION } from "./version.js";

/** Runs a verb of a command whose line has been parsed. */
export type RunVerb = (command: Command, load: () => Promise<LoadedVerb>, options: object) => Promise<void>;

/** A verb whose module has been loaded; `options` are those of its command. */
export type LoadedVerb = (context: never, options: never) => Promise<ExitCode>;

/** What a folder of options adds to a command. */
type Extend = (command: Command) => Command;

const SEARCH_SORTS = ["rank", "newest", "oldest"];
const EXPORT_FORMATS = ["jsonl", "peer-jsonl", "md", "html", "openai", "sharegpt", "atif"];
const IMPORT_FORMATS = ["jsonl", "peer", "claude-code", "codex", "openai", "chatgpt", "pi", "sharegpt", "atif", "auto"];
const IMPORT_MODES = ["skip", "copy", "merge", "replace"];

/** Which sessions: shared by listing and export. */
const withSessionFilters: Extend = (command) =>
  command
    .option("--source <name>", "only this source; may be repeated", collect)
    .option("--exclude-source <name>", "not this source; may be repeated", collect)
    .option("--workspace <text>", "a folder, or part of the name of one, in which the session ran")
    .option("--archived", "only archived sessions")
    .option("--all", "archived sessions too")
    .option("--hidden", "hidden sessions too")
    .option("--children", "continuations, delegates and tool sessions too");

const limit = (standard: number): Option =>
  new Option("--limit <n>", "how many").argParser(wholeNumber(1)).default(standard);

function addSessions(program: Command, run: RunVerb): void {
  const sessions = addGlobalOptions(program.command("sessions").description("list, show and write conversations"));
  leaf(sessions, "list", "list conversations, newest first", withSessionFilters)
    .addOption(limit(20))
    .option("--cursor <cursor>", "go on where a listing ended")
    .addOption(new Option("--order <order>", "by start or by last activity").choices(["started", "active"]))
    .action(act(run, async () => (await import("./verbs/sessions-list.js")).sessionsList));
  leaf(sessions, "show", "show a session")
    .addArgument(ID)
    .option("--last <n>", "only the last messages", wholeNumber(1))
    .option("--raw", "every stored row: archived and rewound messages too")
    .action(act(run, async () => (await import("./verbs/sessions-show.js")).sessionsShow, "text"));
  leaf(sessions, "create", "make a session")
    .option("--id <id>", "its id; made from the time when left out")
    .requiredOption("--source <name>", "where it runs: cli, telegram, ...")
    .option("--title <title>")
    .option("--model <model>")
    .option("--parent <id>", "the session it comes from")
    .option("--cwd <folder>", "where it works")
    .action(act(run, async () => (await import("./verbs/sessions-create.js")).sessionsCreate));
  leaf(sessions, "append", "append messages to a session", undefined, ["jsonl"])
    .addArgument(ID)
    .option("--role <role>", "user (default), assistant, tool, ...")
    .option("--content <text>", "what it says; - reads standard input")
    .option("--jsonl <file>", "one message per line; - reads standard input")
    .action(act(run, async () => (await import("./verbs/sessions-append.js")).sessionsAppend, "text"));
}

const ID = new Argument("<id>", "id, the beginning of one, or a title");

function addSearch(program: Command, run: RunVerb): void {
  leaf(program, "search", 'find messages: words, "phrases", prefix*, AND, OR, NOT, parentheses')
    .argument("<query>", "put -- before a query that begins with a dash")
    .option("--role <role>", "only this role; may be repeated", collect)
    .option("--source <name>", "only this source; may be repeated", collect)
    .option("--session <id>", "only this session; may be repeated", collect)
    .option("--exclude-session <id>", "not this conversation; may be repeated", collect)
    .option("--since <time>", "5h, 2d, or a date", moment)
    .option("--until <time>", "5h, 2d, or a date", moment)
    .addOption(new Option("--sort <order>", "rank, newest or oldest").choices(SEARCH_SORTS))
    .addOption(limit(20))
    .option("--offset <n>", "skip so many", wholeNumber(0))
    .option("--cursor <cursor>", "go on where an answer ended")
    .option("--context <n>", "so many neighbours of each hit too: 0 or 1", wholeNumber(0))
    .addOption(new Option("--group <by>", "one hit per session").choices(["session"]))
    .action(act(run, async () => (await import("./verbs/search.js")).search, "query"));
}

function addMoving(program: Command, run: RunVerb): void {
  leaf(program, "export", "write sessions to a file or standard output", withSessionFilters)
    .argument("[out]", "a file, - for standard output, or a folder for one file per session")
    .addOption(new Option("--format <format>", "how to write").choices(EXPORT_FORMATS).default("jsonl"))
    .option("--session <id>", "this session; may be repeated", collect)
    .addOption(
      new Option("--lineage <mode>", "the session, its whole chain, or the whole tree with branches and delegates")
        .choices(["single", "logical", "tree"])
        .default("single"),
    )
    .option("--peer-subset", "with peer-jsonl: leave archived and rewound messages out, as the peer's export does")
    .option("--redact", "take keys, tokens and passwords out of every text")
    .option("--redact-pattern <regex>", "take what it matches out, too; may be repeated", collect)
    .option("--delete-after-verified", "read the file again, then delete the sessions and their delegates")
    .option("--dry-run", "say which sessions would go, write and delete nothing")
    .action(act(run, async () => (await import("./verbs/export.js")).exportSessions, "out"));
  leaf(program, "import", "bring sessions in from a file")
    .argument("<source>", "a file, a folder of transcripts, or - for standard input")
    .addOption(new Option("--from <format>", "what it holds").choices(IMPORT_FORMATS).default("auto"))
    .addOption(
      new Option("--mode <mode>", "what to do with sessions that are here").choices(IMPORT_MODES).default("skip"),
    )
    .option("--dry-run", "say what would be imported, write nothing")
    .option("--keep-going", "import the whole sessions of a broken file")
    .option("--no-limits", "accept files of any size")
    .action(act(run, async () => (await import("./verbs/import.js")).importSessions, "source"));
}

function addStore(program: Command, run: RunVerb): void {
  leaf(program, "path", "say where the store is").action(act(run, async () => (await import("./verbs/path.js")).path));
  leaf(program, "status", "size, journal mode, counts, index state, holders").action(
    act(run, async () => (await import("./verbs/status.js")).status),
  );
  leaf(program, "check", "check the store's health: exit 0 healthy, 1 damaged, 2 cannot tell")
    .addOption(new Option("--level <level>", "how far to look").choices(["quick", "full"]).default("quick"))
    .action(act(run, async () => (await import("./verbs/check.js")).check));
  leaf(program, "doctor", "say how the store is and what to do about it")
    .option("--fix", "do what is safe: modes, a guarded repair, waiting index work, a large log")
    .action(act(run, async () => (await import("./verbs/doctor.js")).doctor));
}

/** Verbs that rewrite much of the file. */
function addMaintenance(program: Command, run: RunVerb): void {
  const force: Extend = (command) => command.option("--force", "also while other processes have the store open");
  leaf(program, "optimize", "merge each search index into one segment", force).action(
    act(run, async () => (await import("./verbs/optimize.js")).optimize),
  );
  leaf(program, "optimize-storage", "bring the search index to the newest layout, and make the file smaller", force)
    .option("--no-vacuum", "keep the pages that come free for later writes")
    .action(act(run, async () => (await import("./verbs/optimize-storage.js")).optimizeStorageVerb));
  leaf(program, "vacuum", "give free pages back to the system", force).action(
    act(run, async () => (await import("./verbs/vacuum.js")).vacuum),
  );
}

function addRecovery(program: Command, run: RunVerb): void {
  leaf(program, "repair", "say what a repair would keep, change and lose; --apply does it")
    .option("--plan", "change nothing (default)")
    .option("--apply", "repair the store, on a copy first; nobody may have it open")
    .option("--no-backup", "with --apply: keep no copy of the damaged files")
    .action(act(run, async () => (await import("./verbs/repair.js")).repair));
  leaf(program, "recover", "write what is readable of a damaged store to a new file; the old one is never opened")
    .requiredOption("--source <file>", "the damaged store")
    .option("--output <file>", "the new file; nothing is overwritten")
    .option("--inspect-only", "say what could be recovered, write nothing: exit 0 all of it, 1 not")
    .option("--allow-partial", "keep what is readable when not everything is")
    .option("--work-dir <folder>", "where the copy goes while it is read")
    .option("--report <file>", "where the report goes (default: beside the output)")
    .option("--chunk-size <n>", "rows of one transaction", wholeNumber(1))
    .action(act(run, async () => (await import("./verbs/recover.js")).recover));
}

/** Verbs that keep a store, bring it back, or take something out of it for good. */
function addKeeping(program: Command, run: RunVerb): void {
  const backup = addGlobalOptions(program.command("backup").description("verified copies of the store"));
  leaf(backup, "create", "make a verified copy while others go on using the store")
    .argument("[dir]", "the folder (default: backups, beside the store)")
    .option("--keep <n>", "delete the oldest backups of this store beyond so many", wholeNumber(1))
    .action(act(run, async () => (await import("./verbs/backup-create.js")).backupCreate, "dir"));
  leaf(backup, "list", "list backups, newest first")
    .argument("[dir]", "the folder (default: backups, beside the store)")
    .action(act(run, async () => (await import("./verbs/backup-list.js")).backupList, "dir"));
  leaf(backup, "verify", "look at a backup as a restore would: exit 0 when it could be restored, 1 when not")
    .argument("<file>")
    .action(act(run, async () => (await import("./verbs/backup-verify.js")).backupVerify, "file"));
  leaf(backup, "restore", "put a backup in the place of the store; nobody may have it open")
    .argument("<file>")
    .option("--dry-run", "verify the backup, change nothing")
    .option("--no-backup", "keep no copy of what is there")
    .action(act(run, async () => (await import("./verbs/backup-restore.js")).backupRestore, "file"));
  leaf(program, "erase", "delete sessions for good, and prove that no byte of them remains")
    .argument("<id...>", "id, the beginning of one, or a title")
    .option("--lineage", "their whole conversations, through all compactions")
    .option("--dry-run", "say what would go, change nothing")
    .action(act(run, async () => (await import("./verbs/erase.js")).erase, "ids"));
}

/** Verbs for authors of plugins. */
function addPlugins(program: Command, run: RunVerb): void {
  const plugins = addGlobalOptions(program.command("plugins").description("what plugins are built upon"));
  leaf(plugins, "compat", "list uses of names that are going to be removed: exit 1 while there are any")
    .argument("<path>", "the folder of a plugin, or one file")
    .option("--fix", "rewrite what has a new place")
    .action(act(run, async () => (await import("./verbs/plugins-compat.js")).pluginsCompat, "path"));
}

/** A command with a verb behind it. */
function leaf(parent: Command, name: string, about: string, extend?: Extend, without: readonly string[] = []): Command {
  const command = parent.command(name).description(about);
  return addGlobalOptions(extend ? extend(command) : command, without);
}

/** Passes the parsed line on; the first argument, if the command has one, goes by the given name. */
function act(run: RunVerb, load: () => Promise<unknown>, argument?: string): (...line: unknown[]) => Promise<void> {
  return async (...line) => {
    const command = line.at(-1) as Command;
    const first = argument === undefined ? {} : { [argument]: line[0] };
    await run(command, load as () => Promise<LoadedVerb>, { ...command.opts(), ...first });
  };
}

/** The whole command line; nothing of a verb is loaded until it runs. */
export function buildProgram(run: RunVerb): Command {
  const program = new Command("hermes-state")
    .description("Conversations of AI agents in one SQLite file: look, search, move, check.")
    .version(VERSION, "--version", "print the version")
    .helpOption("--help", "show help")
    .configureHelp({ showGlobalOptions: false })
    .enablePositionalOptions()
    .exitOverride();
  addGlobalOptions(program);
  addStore(program, run);
  addRecovery(program, run);
  addMaintenance(program, run);
  addKeeping(program, run);
  addSessions(program, run);
  addSearch(program, run);
  addMoving(program, run);
  addPlugins(program, run);
  return program;
}
