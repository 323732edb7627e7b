import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { answerInterrupted } from "./answer.js";
import { openGateway } from "./gateway.js";
import { httpApp } from "./http-app.js";
import { readSettings } from "./settings.js";
import { Turns } from "./turns.js";
import { serveWebSockets } from "./web-sockets.js";

const HOST = "127.0.0.1";

/** Lets every peer have its answer, then stores what is known: nothing is cut off. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      stop().then(
        () => console.log("stopped"),
        (error: unknown) => {
          console.error(error);
          process.exitCode = 1;
        },
      );
    });
  }
}

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const gateway = await openGateway(settings);
  const turns = new Turns();
  // Nobody is let in before those who were cut off have their answer.
  await answerInterrupted(gateway);
  const app = httpApp(gateway, turns);
  const server = serve({ fetch: app.fetch, port: settings.port, hostname: HOST }, ({ port }) => {
    console.log(`listening on http://${HOST}:${String(port)} (store in ${settings.home})`);
  }) as Server;
  const sockets = serveWebSockets(server, gateway, turns);
  stopOnSignal(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    await turns.idle();
    for (const connection of sockets.clients) connection.close(1001);
    server.closeIdleConnections();
    const patience = setTimeout(() => {
      for (const connection of sockets.clients) connection.terminate();
      server.closeAllConnections();
    }, 1_000);
    await closed;
    clearTimeout(patience);
    await gateway.close();
  });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
