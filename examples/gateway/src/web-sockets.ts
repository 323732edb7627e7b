import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { RawData, WebSocket } from "ws";
import { answer, NotStored } from "./answer.js";
import type { Gateway } from "./gateway.js";
import { peerOf } from "./peer-of.js";
import { BadMessage, readInbound } from "./read-inbound.js";
import type { Turns } from "./turns.js";

const MAX_PAYLOAD = 64 * 1024;

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.from(data as ArrayBuffer).toString("utf8");
}

async function answerOne(gateway: Gateway, turns: Turns, peer: string, data: RawData): Promise<object> {
  try {
    const inbound = readInbound(textOf(data));
    return await turns.run(peer, () => answer(gateway, peer, inbound));
  } catch (error) {
    if (error instanceof BadMessage || error instanceof NotStored) return { error: error.message };
    console.error(error);
    return { error: "Something failed here; the log of the gateway says what." };
  }
}

/** Answers messages over WebSockets at `/ws`, in the conversations that HTTP uses too. */
export function serveWebSockets(server: Server, gateway: Gateway, turns: Turns): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const peer = peerOf(gateway.settings, request.headers.authorization);
    if (request.url !== "/ws" || peer === undefined) {
      const status = request.url === "/ws" ? "401 Unauthorized" : "404 Not Found";
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (connection: WebSocket) => {
      connection.on("error", (error) => console.error(error));
      connection.on("message", (data) => {
        void answerOne(gateway, turns, peer, data).then((said) => {
          if (connection.readyState === connection.OPEN) connection.send(JSON.stringify(said));
        });
      });
    });
  });
  return sockets;
}
