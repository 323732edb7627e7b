import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment, repoRoot, tempDir } from "@hermes/testkit";

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly packageManager?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A project outside of the repository that has every published package installed from its tarball. */
export interface PackedProject extends Disposable {
  readonly path: string;
  /** Names of the packages. */
  readonly names: readonly string[];
  /** Runs Node in the project. Returns what it prints; words on stderr and a bad exit are errors. */
  node(args: readonly string[], env: Readonly<Record<string, string>>): string;
}

const read = (folder: string): PackageJson =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageJson;

const ROOT = repoRoot();

/** Folders of the packages that are published. */
function published(): readonly string[] {
  const packages = readdirSync(join(ROOT, "packages")).map((name) => join(ROOT, "packages", name));
  return [...packages, join(ROOT, "compat")].filter((folder) => read(folder).private !== true);
}

/** The pnpm that the repository names: it may not be on the PATH. */
function pnpm(cwd: string, args: readonly string[]): string {
  const [version = ""] = read(ROOT).packageManager?.split("+") ?? [];
  const options = { cwd, encoding: "utf8", timeout: 120_000, env: childEnvironment(), stdio: "pipe" } as const;
  return execFileSync("npx", ["-y", version, ...args], options);
}

/** Packs the packages in one go. Returns the dependency that each of them is, by name. */
function pack(destination: string): Record<string, string> {
  const folders = published();
  const chosen = folders.flatMap((folder) => ["--filter", read(folder).name]);
  pnpm(ROOT, ["--recursive", ...chosen, "exec", "pnpm", "pack", "--pack-destination", destination]);
  const tarball = ({ name, version }: PackageJson): string =>
    `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  return Object.fromEntries(
    folders.map(read).map((manifest) => [manifest.name, `file:${join(destination, tarball(manifest))}`]),
  );
}

/**
 * What is not ours is linked from where this repository has it. So nothing is asked of a registry or a store, nothing
 * is compiled, and still each package reaches only what it declares.
 */
function others(): Record<string, string> {
  const found = published().flatMap((folder) =>
    Object.keys(read(folder).dependencies ?? {})
      .filter((name) => !name.startsWith("@hermes/"))
      .map((name) => [name, `link:${realpathSync(join(folder, "node_modules", name))}`] as const),
  );
  return Object.fromEntries(found);
}

/** Packs every published package and installs all of them. The packages must be built. */
export function packedProject(): PackedProject {
  const dir = tempDir("packed");
  const path = dir.file("project");
  const ours = pack(dir.file("tarballs"));
  mkdirSync(path);
  writeFileSync(join(path, "package.json"), JSON.stringify({ name: "host", private: true, dependencies: ours }));
  const workspace = { packages: ["."], hoist: false, overrides: { ...ours, ...others() } };
  writeFileSync(join(path, "pnpm-workspace.yaml"), JSON.stringify(workspace));
  pnpm(path, ["install", "--offline", "--ignore-scripts", "--store-dir", dir.file("store")]);
  return {
    path,
    names: Object.keys(ours),
    node(args, env) {
      const options = { cwd: path, encoding: "utf8", timeout: 60_000, env: childEnvironment(env) } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
      if (status !== 0 || stderr !== "") throw new Error(`node ended with ${String(status)}: ${stderr}`);
      return stdout.trim();
    },
    [Symbol.dispose]: () => {
      dir[Symbol.dispose]();
    },
  };
}
