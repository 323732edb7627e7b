// Holds a write transaction on a database and reads the file raw when told to: what no code of the stack may do.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { betterSqlite3Driver } from "@hermes/state-core";

const path = process.argv[2];
const connection = betterSqlite3Driver.open(path, { readonly: false, busyTimeoutMs: 1000 });
connection.exec("BEGIN IMMEDIATE");
connection.exec("INSERT INTO state_meta (key, value) VALUES ('held', '1')");
process.stdout.write("holding\n");
createInterface({ input: process.stdin }).on("line", () => {
  readFileSync(path);
  process.stdout.write("read\n");
});
