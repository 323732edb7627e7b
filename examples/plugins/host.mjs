/**
 * A host: loads the plugins of a folder by the dates of the names they use, runs each on a store, and says what it was
 * told.
 *
 * Usage: node host.mjs [folder] [store]. Default: the plugins as they were written, on a store in a temporary folder.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { loadPlugins } from "@hermes/compat/host";

const [folder = fileURLToPath(new URL("before", import.meta.url)), store] = process.argv.slice(2);

/** Every folder with a package.json is a plugin. */
function pluginsIn(place) {
  return readdirSync(place).map((name) => {
    const root = resolve(place, name);
    const { main, exports = main } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    return { name, root, load: () => import(pathToFileURL(join(root, exports)).href) };
  });
}

const made = store === undefined ? mkdtempSync(join(tmpdir(), "plugins-")) : undefined;
const path = store ?? join(made, "state.db");
for (const { name, state, reason, module } of await loadPlugins(pluginsIn(folder))) {
  console.log(`${name}: ${state}${reason === null ? "" : `, ${reason}`}`);
  for (const line of module === undefined ? [] : await module.run(path)) console.log(`  ${line}`);
}
if (made !== undefined) rmSync(made, { recursive: true });
