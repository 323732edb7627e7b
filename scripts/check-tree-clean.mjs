/**
 * The tree names no machine: no home folder, no path of a build machine, no registry host. What is written here is read
 * by strangers on other machines, and a lockfile with a host in it installs only where that host answers.
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { treeFiles } from "./support/tree-files.mjs";

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Home folders that samples and tests may use. */
const SAMPLE_HOMES = /^[/]home[/](?:user|someone|ada|x)$/;

/** Folders of the machine that runs the check; the shallow ones would match ordinary text. */
const ownFolders = (root) =>
  [resolve(root), homedir()]
    .filter((folder) => folder.split("/").length > 2 && !SAMPLE_HOMES.test(folder))
    .map((folder) => [new RegExp(`${escaped(folder)}(?![\\w-])`), "a folder of this machine"]);

/** Written with classes such as `[/]`, so that this file does not match itself. */
const ANYWHERE = [
  [/(?<![\w.@-])[/](?:work|root|Users|build|workspace)[/]\w/, "a folder of some machine"],
  [/(?<![\w.@-])[/]home[/](?!(?:user|someone|ada|x)\b)\w/, "a home folder (samples use [/]home/user)"],
  [/\bregistry\.[\w-]+\.\w+|\bnpmmirror\b|\bverdaccio\b/i, "a package registry"],
  [/\b(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}(?::\d+)\b/, "an address of a private network"],
  [/\.\.[/]shared(?![/]fixtures[/]peer)/, "a folder that lies beside one particular clone"],
  [/\b(?:core[-]schema|search[-]portability|repair[-]gateway[-]compat|house[-]style)\b/, "a document that is not here"],
];

const IN_LOCKFILE = [[/https?:/, "a host in the lockfile"]];

/**
 * @param {string} root - The tree to look through.
 * @returns {string[]} One line per finding: where, and what was found.
 */
export function checkTreeClean(root) {
  return treeFiles(root).flatMap((name) => {
    const patterns = [...ownFolders(root), ...ANYWHERE, ...(name === "pnpm-lock.yaml" ? IN_LOCKFILE : [])];
    const lines = readFileSync(join(root, name), "latin1").split("\n");
    return lines.flatMap((line, index) =>
      patterns.filter(([pattern]) => pattern.test(line)).map(([, what]) => `${name}:${index + 1}: names ${what}`),
    );
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = checkTreeClean(fileURLToPath(new URL("..", import.meta.url)));
  for (const finding of findings) console.error(finding);
  console.log(`tree: ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
