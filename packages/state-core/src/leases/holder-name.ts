import { threadId } from "node:worker_threads";
import type { Random } from "../clock/random.js";
import { ownPidNamespace } from "./pid-namespace.js";

const PID = /(?:^|:)pid=(\d+)(?::|$)/;

/**
 * Our own `agent` part: eight digits of PID namespace, twelve of the agent. Other programs write a shorter number
 * there, which says nothing about a namespace.
 */
const NAMESPACE = /(?:^|:)agent=([0-9a-f]{8})[0-9a-f]{12}(?::|$)/;

/** The agent part of the holders that one store makes. */
export function newAgent(random: Random): string {
  const namespace = (ownPidNamespace() ?? 0) >>> 0;
  return `${namespace.toString(16).padStart(8, "0")}${random.hex(6)}`;
}

/**
 * A holder text as the peer spells it: `pid=<n>:tid=<n>:agent=<hex>:nonce=<8 hex>` (COR-25). Each is new, so two agents
 * of one process do not share a lease.
 */
export function newHolder(agent: string, random: Random): string {
  return `pid=${String(process.pid)}:tid=${String(threadId)}:agent=${agent}:nonce=${random.hex(4)}`;
}

/** The process that a holder text names, or undefined. */
export function holderPid(holder: string): number | undefined {
  const digits = PID.exec(holder)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The PID namespace that a holder text of this package names, or undefined. */
export function holderNamespace(holder: string): number | undefined {
  const digits = NAMESPACE.exec(holder)?.[1];
  return digits === undefined || /^0+$/.test(digits) ? undefined : parseInt(digits, 16);
}
