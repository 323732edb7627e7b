import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Routes of the store. */
export const ROUTES = 10_000;

const CHILD = fileURLToPath(new URL("./gateway-child.js", import.meta.url));

/** A store with 10,000 routes and the live sessions they lead to, laid out when it is first asked for. */
export class ManyRoutes implements Disposable {
  #folder: string | undefined;

  get path(): string {
    if (this.#folder === undefined) {
      this.#folder = mkdtempSync(join(tmpdir(), "hermes-bench-routes-"));
      execFileSync(process.execPath, [CHILD, "lay", join(this.#folder, "state.db"), String(ROUTES)]);
    }
    return join(this.#folder, "state.db");
  }

  [Symbol.dispose](): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
