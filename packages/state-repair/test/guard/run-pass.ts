import { type Child, spawnNode } from "@hermes/testkit";
import { childScript } from "../children/child-script.js";

/** What a pass in a process of its own came to. */
export interface PassResult {
  readonly answer: string;
  readonly bundle?: "taken" | "kept";
  readonly pid?: number;
  /** Whether it came to the surgery. */
  readonly surgery: boolean;
}

/** How a pass goes. */
export interface PassOptions {
  /** Milliseconds the surgery takes. */
  readonly holdMs?: number;
  /** Milliseconds it waits for the lock. */
  readonly waitMs?: number;
}

/** Starts a pass whose surgery fails, or heals, as scripted. */
export function startPass(path: string, outcome: "fail" | "heal", options: PassOptions = {}): Child {
  return spawnNode(childScript("scripted-pass.mjs"), [path, outcome, JSON.stringify(options)]);
}

/** What a started pass printed at its end. */
export async function resultOf(child: Child): Promise<PassResult> {
  const end = await child.exit;
  const { stdout } = end;
  const last = stdout.split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`the pass ended without an answer: ${JSON.stringify(end)}`);
  return { ...(JSON.parse(last) as PassResult), surgery: stdout.includes("surgery") };
}
