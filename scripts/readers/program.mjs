import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

/**
 * Every source file of every package under `root`, tests left out.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function sourceFiles(root) {
  const walk = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return walk(path);
      return /\.ts$/.test(entry.name) && !/\.(?:test|d)\.ts$/.test(entry.name) ? [path] : [];
    });
  const packages = join(root, "packages");
  const sources = readdirSync(packages).map((name) => join(packages, name, "src"));
  return sources.filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory()).flatMap(walk);
}

/** One type-checked program over all packages, so that a call can be followed across their edges. */
export function createProgram(root) {
  const config = join(root, "tsconfig.base.json");
  const text = ts.readConfigFile(config, ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(text, ts.sys, dirname(config));
  const files = sourceFiles(root);
  return { program: ts.createProgram(files, { ...options, noEmit: true }), files: new Set(files) };
}
