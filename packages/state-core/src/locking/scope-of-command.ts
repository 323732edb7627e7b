import { realpathSync } from "node:fs";
import type { WatchedFiles } from "./watched-files.js";

const HOME_FLAGS: ReadonlySet<string> = new Set(["--home", "--hermes-home", "HERMES_HOME"]);
const PROFILE_FLAGS: ReadonlySet<string> = new Set(["--profile", "-p", "HERMES_PROFILE"]);
const FILE_FLAGS: ReadonlySet<string> = new Set(["--db", "--database"]);
const PROFILES = "/profiles/";

/** Where a home lies: the root that holds all profiles, and the profile it is. */
function profileOf(home: string): { readonly root: string; readonly profile: string } {
  const at = home.lastIndexOf(PROFILES);
  const profile = at < 0 ? "" : home.slice(at + PROFILES.length);
  return at < 0 || profile.includes("/") ? { root: home, profile: "default" } : { root: home.slice(0, at), profile };
}

function resolved(path: string): string {
  const plain = path.length > 1 ? path.replace(/\/+$/, "") : path;
  try {
    return realpathSync(plain);
  } catch {
    // It is not there, or not for us to see: its spelling is all there is.
    return plain;
  }
}

/** Values given to one of the flags, as `--flag value` or `flag=value`. */
function valuesOf(argv: readonly string[], flags: ReadonlySet<string>): string[] {
  return argv.flatMap((token, index) => {
    if (flags.has(token)) return argv[index + 1] ?? [];
    const equals = token.indexOf("=");
    return equals > 0 && flags.has(token.slice(0, equals)) ? token.slice(equals + 1) : [];
  });
}

/** What an explicit flag says; undefined when none says anything that can be compared. */
function saidByFlags(argv: readonly string[], { home, names }: WatchedFiles): boolean | undefined {
  const files = valuesOf(argv, FILE_FLAGS).filter((value) => value.startsWith("/"));
  if (files.length > 0) return files.some((file) => names.has(resolved(file)));
  const homes = valuesOf(argv, HOME_FLAGS).filter((value) => value.startsWith("/"));
  if (homes.length > 0) return homes.some((value) => resolved(value) === home);
  const profiles = valuesOf(argv, PROFILE_FLAGS).filter((value) => /^[\w.-]+$/.test(value));
  return profiles.length > 0 ? profiles.includes(profileOf(home).profile) : undefined;
}

/** Profiles of the same root that paths of the command lie in. */
function profilesNamed(argv: readonly string[], root: string): string[] {
  const folder = root + PROFILES;
  return argv.flatMap((token) => {
    const path = token.slice(token.indexOf("=") + 1);
    return path.startsWith(folder) ? (path.slice(folder.length).split("/")[0] ?? []) : [];
  });
}

/**
 * True when a command line proves that its process works in another home than the database's. In this order: a token
 * that names one of its files is proof of the contrary, an explicit flag decides, a path in another profile of the same
 * root is proof. A shared installation says nothing, nor does the program's own path (SEA-10).
 */
export function isScopedElsewhere(argv: readonly string[], watched: WatchedFiles): boolean {
  if (argv.some((token) => watched.names.has(token))) return false;
  const said = saidByFlags(argv, watched);
  if (said !== undefined) return !said;
  const { root, profile } = profileOf(watched.home);
  const named = profilesNamed(argv.slice(1), root);
  return named.length > 0 && !named.includes(profile);
}
