import { once } from "node:events";
import pc from "picocolors";
import { safeJson } from "./safe-json.js";

type Colors = ReturnType<typeof pc.createColors>;

/** How a command answers. */
export type OutputMode = "human" | "json" | "jsonl";

/** Where a command writes; the process's own streams unless a test stands in. */
export interface OutputStreams {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** How to write. */
export interface OutputOptions {
  readonly mode: OutputMode;
  readonly quiet: boolean;
  /** Undefined lets the terminal and the environment decide. */
  readonly color: boolean | undefined;
}

/** The reader of our standard output has gone: `| head` has seen enough. Ends the command quietly. */
export class PipeClosed extends Error {}

const DEFAULT_COLUMNS = 120;

/**
 * The only place that prints. Data goes to standard output and nothing else does; notices, progress and errors go to
 * standard error. Every write waits while the reader is slow.
 */
export class Output {
  readonly mode: OutputMode;
  readonly colors: Colors;
  readonly #quiet: boolean;
  readonly #streams: OutputStreams;
  #closed = false;

  constructor(options: OutputOptions, streams: OutputStreams = process) {
    this.mode = options.mode;
    this.#quiet = options.quiet;
    this.#streams = streams;
    const colored = options.color ?? (pc.isColorSupported && streams.stdout.isTTY === true);
    this.colors = pc.createColors(options.mode === "human" && colored);
    streams.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      this.#closed = true;
    });
  }

  /** Columns of the terminal; a fixed width where there is none, so that output can be compared. */
  get columns(): number {
    return this.#streams.stdout.columns ?? DEFAULT_COLUMNS;
  }

  /** Where a progress bar may be drawn: standard error when it is a terminal and somebody reads it. */
  get progressTerminal(): NodeJS.WritableStream | undefined {
    const { stderr } = this.#streams;
    return this.mode === "human" && !this.#quiet && stderr.isTTY === true ? stderr : undefined;
  }

  /** Standard output itself, for data that is written as it is. */
  get stdout(): NodeJS.WritableStream {
    return this.#streams.stdout;
  }

  /**
   * Writes lines for people. What comes from the store has been sanitised by the caller.
   *
   * @throws PipeClosed
   */
  async text(text: string): Promise<void> {
    await this.#write(`${text}\n`);
  }

  /** Writes the one document of `--json`. */
  async json(value: unknown): Promise<void> {
    await this.#write(`${safeJson(value, 2)}\n`);
  }

  /** Writes one record of `--jsonl`. */
  async jsonl(value: unknown): Promise<void> {
    await this.#write(`${safeJson(value)}\n`);
  }

  /** Says something beside the data; silent with `--quiet`. */
  notice(text: string): void {
    if (!this.#quiet) this.#streams.stderr.write(`${text}\n`);
  }

  /** Says what went wrong, also with `--quiet`: as a line, or as one JSON document where data would have been JSON. */
  error(document: { readonly code: string; readonly message: string } & Readonly<Record<string, unknown>>): void {
    if (this.mode === "human") this.#streams.stderr.write(`error: ${document.message}\n`);
    else this.#streams.stderr.write(`${safeJson({ error: document })}\n`);
  }

  /** Writes a stack trace, which only `--debug` asks for. */
  trace(error: unknown): void {
    this.#streams.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }

  async #write(text: string): Promise<void> {
    if (this.#closed) throw new PipeClosed();
    if (this.#streams.stdout.write(text)) return;
    try {
      await once(this.#streams.stdout, "drain");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EPIPE") throw new PipeClosed();
      throw error;
    }
  }
}
