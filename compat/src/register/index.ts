import { register } from "node:module";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { reportUse } from "../runtime/report-use.js";
import type { NotedUse } from "./noted-use.js";

/**
 * Has `import` of an entry point tell which names that do not stay a module uses, as `require` does by itself (CPT-04):
 * `node --import @hermes/compat/register host.js`. With `HERMES_STATE_COMPAT=throw` the process ends with the error.
 */
function start(): void {
  const { port1, port2 } = new MessageChannel();
  const report = ({ name, site }: NotedUse): void => {
    reportUse(name, site);
  };
  port1.on("message", report);
  port1.unref();
  process.once("beforeExit", () => {
    for (let left = receiveMessageOnPort(port1); left; left = receiveMessageOnPort(port1))
      report(left.message as NotedUse);
  });
  register("./hooks.js", import.meta.url, { data: { port: port2 }, transferList: [port2] });
}

start();
