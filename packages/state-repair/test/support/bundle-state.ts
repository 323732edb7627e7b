import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileHash } from "@hermes/testkit";

/** The names beside a database, and the bytes of its main file, log and journal; read by processes of their own. */
export function bundleState(path: string): Readonly<Record<string, string | undefined>> {
  const names = readdirSync(dirname(path)).sort();
  const hashed = names.filter((name) => name.startsWith(basename(path)) && !name.endsWith("-shm"));
  const hashes = hashed.map((name) => [name, fileHash(`${dirname(path)}/${name}`)] as const);
  return { names: names.join(" "), ...Object.fromEntries(hashes) };
}
