import { fileURLToPath } from "node:url";
import { builtPackage, spawnNode } from "@hermes/testkit";
import type { Child } from "@hermes/testkit";

/** What the gateway answered; `lost` when it was killed before it could. */
export type Answer = "lost" | { readonly [key: string]: unknown };

const SCRIPT = fileURLToPath(new URL("../children/gateway.mjs", import.meta.url));

/** A gateway in a process of its own that is asked many things at once. */
export class SimulatedGateway implements AsyncDisposable {
  readonly #child: Child;
  readonly #asked = new Map<number, (answer: Answer) => void>();
  #count = 0;

  private constructor(path: string) {
    this.#child = spawnNode(SCRIPT, [path], {
      timeout: 120_000,
      onLine: (line) => {
        const { n, ...answer } = JSON.parse(line) as { n?: number; [key: string]: unknown };
        this.#settle(n ?? -1, answer);
      },
    });
    void this.#child.exit.then(() => {
      for (const n of [...this.#asked.keys()]) this.#settle(n, "lost");
    });
  }

  static async start(path: string): Promise<SimulatedGateway> {
    builtPackage("gateway-session");
    const gateway = new SimulatedGateway(path);
    await gateway.#child.waitForLine((line) => line.includes("ready"));
    return gateway;
  }

  ask(op: string, what: object): Promise<Answer> {
    const n = ++this.#count;
    return new Promise((resolve) => {
      this.#asked.set(n, resolve);
      this.#child.send(JSON.stringify({ n, op, ...what }));
    });
  }

  /** SIGKILL, whatever it is doing. */
  async kill(): Promise<void> {
    this.#child.kill();
    await this.#child.exit;
  }

  /** Lets it finish. @returns Its exit code. */
  async stop(): Promise<number | null> {
    this.#child.send("stop");
    const { code, stderr } = await this.#child.exit;
    if (stderr !== "") throw new Error(stderr);
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }

  #settle(n: number, answer: Answer): void {
    const resolve = this.#asked.get(n);
    this.#asked.delete(n);
    resolve?.(answer);
  }
}
