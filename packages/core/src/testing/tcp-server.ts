import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a TCP server that closes with its connections after the test; returns its port. */
export async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    // The client may disconnect at any time.
    socket.on("error", () => {});
    onConnection(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
