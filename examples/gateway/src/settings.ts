import { tmpdir } from "node:os";
import { join } from "node:path";

/** How the gateway runs. */
export interface Settings {
  /** Folder of the store, its spool and the mark of a clean stop. */
  readonly home: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Names of the peers, by their token. */
  readonly peers: ReadonlyMap<string, string>;
  /** From how many messages on a conversation is compacted. */
  readonly rotateAfter: number;
  /** How long the agent thinks, in ms. */
  readonly thinkMs: number;
}

const DEMO_PEERS = "ann=ann-demo,bob=bob-demo";

function wholeNumber(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const value = Number(env[name] ?? fallback);
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number, 0 or more.`);
  return value;
}

/** Reads the settings from `GATEWAY_HOME`, `PORT`, `GATEWAY_PEERS`, `GATEWAY_ROTATE_AFTER` and `GATEWAY_THINK_MS`. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const peers = (env["GATEWAY_PEERS"] ?? DEMO_PEERS).split(",").map((pair) => pair.split("="));
  return {
    home: env["GATEWAY_HOME"] ?? join(tmpdir(), "hermes-example-gateway"),
    port: wholeNumber(env, "PORT", 8787),
    peers: new Map(peers.map(([name = "", token = ""]) => [token, name])),
    rotateAfter: Math.max(2, wholeNumber(env, "GATEWAY_ROTATE_AFTER", 20)),
    thinkMs: wholeNumber(env, "GATEWAY_THINK_MS", 0),
  };
}
