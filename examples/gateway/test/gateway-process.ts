import { fileURLToPath } from "node:url";
import { spawnNode } from "@hermes/testkit";
import type { Child } from "@hermes/testkit";
import { WebSocket } from "ws";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** What a request came back with. */
export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** The example as its user starts it: a process that listens. */
export interface GatewayProcess extends AsyncDisposable {
  readonly child: Child;
  request(peer: string | null, method: string, path: string, body?: unknown): Promise<Reply>;
  /** Says something over HTTP. */
  say(peer: string, text: string, id?: string): Promise<Record<string, unknown>>;
  /** Opens a socket and says things one after the other. @returns Everything that came back, as it came. */
  sayBySocket(peer: string, texts: readonly string[]): Promise<Record<string, unknown>[]>;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
}

const headers = (peer: string | null): Record<string, string> =>
  peer === null ? {} : { authorization: `Bearer ${peer}-demo` };

function talk(url: string, peer: string, texts: readonly string[]): Promise<Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    const replies: Record<string, unknown>[] = [];
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers: headers(peer) });
    socket.on("error", reject);
    socket.on("open", () => {
      for (const text of texts) socket.send(JSON.stringify({ text }));
    });
    socket.on("message", (data: Buffer) => {
      replies.push(JSON.parse(data.toString("utf8")) as Record<string, unknown>);
      if (replies.length === texts.length) socket.close();
    });
    socket.on("close", () => {
      resolve(replies);
    });
  });
}

/** Starts one. @param home - Folder that outlives it. */
export async function startGateway(home: string, env: Record<string, string> = {}): Promise<GatewayProcess> {
  const child = spawnNode(MAIN, [], {
    timeout: 90_000,
    env: { GATEWAY_HOME: home, PORT: "0", GATEWAY_ROTATE_AFTER: "7", ...env },
  });
  const line = await child.waitForLine((seen) => seen.startsWith("listening on "));
  const url = /http:\/\/[\d.:]+/.exec(line)![0];
  const request: GatewayProcess["request"] = async (peer, method, path, body) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      headers: { ...headers(peer), connection: "close" },
      ...(body !== undefined && { body: text }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    child,
    request,
    async say(peer, text, id) {
      const { status, body } = await request(peer, "POST", "/message", { text, ...(id !== undefined && { id }) });
      if (status !== 200) throw new Error(`${String(status)} ${JSON.stringify(body)}`);
      return body;
    },
    sayBySocket: (peer, texts) => talk(url, peer, texts),
    async stop() {
      child.kill("SIGTERM");
      return (await child.exit).code;
    },
    async kill() {
      child.kill();
      await child.exit;
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
