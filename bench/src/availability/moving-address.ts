import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** An address whose server changes, like a virtual address or a proxy in front of Postgres. */
interface MovingAddress {
  port: number;
  /** Breaks all connections. New ones go to this port. */
  moveTo(port: number): void;
  /** Passes nothing on any more, as a network that has failed: what is sent on open connections is lost. */
  hold(): void;
  close(): Promise<void>;
}

export async function openMovingAddress(firstPort: number): Promise<MovingAddress> {
  let target = firstPort;
  let isHeld = false;
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket
        .on("error", () => other.destroy())
        .on("close", () => {
          sockets.delete(socket);
          other.destroy();
        });
    }
    incoming.pipe(outgoing).pipe(incoming);
    if (isHeld) for (const socket of [incoming, outgoing]) socket.unpipe().pause();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(port) {
      target = port;
      breakAll();
    },
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      breakAll();
      await closed;
    },
  };
}

/** The same URL on this machine's port and, where given, with further parameters. */
export function withAddress(url: string, port: number, parameters: Record<string, string> = {}): string {
  const changed = new URL(url);
  changed.port = String(port);
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
  return changed.href;
}
