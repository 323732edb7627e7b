import { homedir, userInfo } from "node:os";

/** The only place that reads the process's environment; at call time, so that a change after import counts (COR-12). */
export function environmentVariable(name: string): string | undefined {
  return process.env[name];
}

/** The home folders a real user's store may live in: the one the environment names, and the one the account has. */
export function realHomeFolders(): string[] {
  const homes = new Set([homedir()]);
  try {
    homes.add(userInfo().homedir);
  } catch {
    // An account without an entry has no second home; the environment's one stands.
  }
  return [...homes].filter((home) => home !== "");
}
