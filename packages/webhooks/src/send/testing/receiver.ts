import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createListener, type Server, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";

interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** A customer's server, real and on loopback, that counts what reaches it. */
export interface Receiver extends AsyncDisposable {
  port: number;
  /** Accepted connections, with or without a request. */
  sockets: Socket[];
  requests: Received[];
  /** Emits `request` when one starts. */
  server: Server;
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage, body: Buffer) => void;

interface Options {
  address?: string;
  tls?: { key: string; cert: string };
  port?: number;
}

/** Reads each request completely, stores it, and lets `behave` answer it or not. */
export async function startReceiver(
  behave: Behaviour,
  { address = "127.0.0.1", tls, port = 0 }: Options = {},
): Promise<Receiver> {
  const listener: RequestListener = async (request, response) => {
    const body = await buffer(request);
    const { method, url: path, headers } = request;
    receiver.requests.push({ method, path, headers, body });
    behave(response, request, body);
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  const receiver: Receiver = {
    port: 0,
    sockets: [],
    requests: [],
    server,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  // The sender closes connections, however long the test takes.
  server.keepAliveTimeout = 0;
  server.on("connection", (socket: Socket) => receiver.sockets.push(socket));
  server.listen(port, address);
  await once(server, "listening");
  receiver.port = portOf(server);
  return receiver;
}

/** A TCP server without HTTP: `onSocket` handles each connection. */
export async function startListener(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createListener((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    onSocket(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: portOf(server),
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

function portOf(server: Server): number {
  const bound = server.address();
  return typeof bound === "object" && bound ? bound.port : 0;
}

export const accept: Behaviour = (response) => response.end("thanks");
