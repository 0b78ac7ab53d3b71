import type { Socket } from "node:net";
import type { Target } from "@querybell/guard";
import { Client } from "undici";
import type { Opened } from "./open-socket.ts";

/** One socket to one checked address, carrying one request at a time. */
export interface Connection {
  client: Client;
  socket: Socket;
  address: string;
}

export interface Connections {
  /** An idle connection to one of these addresses, which must be a currently checked answer. */
  take(origin: string, addresses: readonly string[]): Connection | undefined;
  adopt(target: Target, opened: Opened): Connection;
  /** Gives a connection back for the next request. */
  release(origin: string, connection: Connection): void;
  /** Closes idle connections, and those in use once they are released. */
  close(): void;
}

const idleLifetimeMs = 15_000;

/**
 * Idle connections by origin, the last used first. undici speaks HTTP on the sockets and is never asked
 * to connect: a name resolved anywhere but in the guard would be a way around it.
 */
export function createConnections(maxIdle: number): Connections {
  const idle = new Map<string, Connection[]>();
  let idleCount = 0;
  let closed = false;

  function forget(origin: string, connection: Connection): void {
    const list = idle.get(origin);
    if (!list) return;
    const index = list.indexOf(connection);
    if (index >= 0) {
      list.splice(index, 1);
      idleCount -= 1;
    }
    if (list.length === 0) idle.delete(origin);
  }

  return {
    take(origin, addresses) {
      const list = idle.get(origin);
      for (let connection = list?.pop(); connection; connection = list?.pop()) {
        idleCount -= 1;
        if (!connection.socket.destroyed && addresses.includes(connection.address)) return connection;
        connection.socket.destroy();
      }
      return undefined;
    },

    adopt({ origin }, { socket, address }) {
      const connection: Connection = { client: clientOn(origin, socket), socket, address };
      socket.once("close", () => forget(origin, connection));
      return connection;
    },

    release(origin, connection) {
      if (closed || connection.socket.destroyed || idleCount >= maxIdle) {
        connection.socket.destroy();
        return;
      }
      const list = idle.get(origin);
      if (list) list.push(connection);
      else idle.set(origin, [connection]);
      idleCount += 1;
    },

    close() {
      closed = true;
      for (const connection of [...idle.values()].flat()) connection.socket.destroy();
    },
  };
}

function clientOn(origin: string, socket: Socket): Client {
  let handedOver = false;
  return new Client(origin, {
    connect: (_options, callback) => {
      const lost = handedOver;
      handedOver = true;
      // undici does not notice a callback that comes while it is still calling.
      queueMicrotask(() =>
        lost ? callback(new Error("The connection was lost."), null) : callback(null, socket),
      );
    },
    allowH2: false,
    pipelining: 1,
    // The attempt's one deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleLifetimeMs,
    keepAliveMaxTimeout: idleLifetimeMs,
    maxHeaderSize: 16_384,
  });
}
