import Database from "better-sqlite3";
import { openStateStore } from "@hermes/state-core";
import { sample } from "./measure/sample.js";

/** Loads the native driver and lets SQLite set itself up, so that neither is counted. */
function loadDriver(): void {
  new Database(":memory:").exec("SELECT 1").close();
}

function openStore(path: string): void {
  openStateStore({ path }).close();
}

function openEngine(path: string): void {
  const database = new Database(path, { fileMustExist: true });
  database.pragma("synchronous = FULL");
  database.prepare("SELECT version FROM schema_version").get();
  database.close();
}

const [how, path = ""] = process.argv.slice(2);
loadDriver();
console.log(
  JSON.stringify(
    sample(() => {
      (how === "store" ? openStore : openEngine)(path);
    }),
  ),
);
