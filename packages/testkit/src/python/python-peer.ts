import { join } from "node:path";
import { childEnvironment } from "../config/environment.js";
import { repoRoot } from "../config/repo-root.js";
import { type ChildExit, spawnChild } from "../process/spawn-child.js";

/** What the peer failed with, by the name of its Python class. */
export class PythonError extends Error {
  override readonly name: string = "PythonError";
  readonly type: string;

  constructor(type: string, message: string) {
    super(`${type}: ${message}`);
    this.type = type;
  }
}

/** A long operation of the peer. */
export interface Running<T> {
  /** It holds its lock, or writes its first row. */
  readonly started: Promise<void>;
  readonly done: Promise<T>;
}

/** A Python process that does what it is told with the standard sqlite3 module. */
export interface PythonPeer extends AsyncDisposable {
  readonly pid: number;
  /** Runs `op_<operation>` of `python/peer.py`. */
  call<T = unknown>(operation: string, args?: Readonly<Record<string, unknown>>): Promise<T>;
  /** The same for an operation that reports when it is under way. */
  begin<T = unknown>(operation: string, args?: Readonly<Record<string, unknown>>): Running<T>;
  /** SIGKILL, now. */
  kill(): void;
  /** Ends the process in good order. */
  stop(): Promise<void>;
}

interface Waiting {
  started(): void;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Starts a peer process: `await using peer = await startPythonPeer()`.
 *
 * @param options - `timeout`: milliseconds after which it is killed; 120,000 when not given.
 */
export async function startPythonPeer(options: { readonly timeout?: number } = {}): Promise<PythonPeer> {
  const script = join(repoRoot(), "packages", "testkit", "python", "peer.py");
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const child = spawnChild("python3", ["-u", script], {
    env: childEnvironment({ PYTHONDONTWRITEBYTECODE: "1" }),
    timeout: options.timeout ?? 120_000,
    onLine: (line) => {
      answer(waiting, line);
    },
  });
  void child.exit.then((end) => {
    for (const request of waiting.values()) fail(request, end);
    waiting.clear();
  });

  const begin = <T>(operation: string, args: Readonly<Record<string, unknown>> = {}): Running<T> => {
    const id = ++last;
    let started = (): void => undefined;
    const hasStarted = new Promise<void>((resolve) => (started = resolve));
    const done = new Promise<T>((resolve, reject) => {
      waiting.set(id, { started, resolve, reject });
    });
    void done.then(started, started);
    child.send(JSON.stringify({ ...args, id, op: operation }));
    return { started: hasStarted, done };
  };
  const call: PythonPeer["call"] = (operation, args) => begin<never>(operation, args).done;
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await child.exit;
  };
  await call("ping");
  return {
    pid: child.pid,
    call,
    begin,
    kill: () => {
      child.kill();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface Reply {
  readonly id: number;
  readonly event?: string;
  readonly result?: unknown;
  readonly error?: { readonly type: string; readonly message: string };
}

function fail(request: Waiting, end: ChildExit): void {
  request.reject(new PythonError("Exited", end.stderr === "" ? JSON.stringify(end) : end.stderr));
}

function answer(waiting: Map<number, Waiting>, line: string): void {
  const reply = JSON.parse(line) as Reply;
  const request = waiting.get(reply.id);
  if (request === undefined) return;
  if (reply.event !== undefined) {
    request.started();
    return;
  }
  waiting.delete(reply.id);
  if (reply.error === undefined) request.resolve(reply.result);
  else request.reject(new PythonError(reply.error.type, reply.error.message));
}
