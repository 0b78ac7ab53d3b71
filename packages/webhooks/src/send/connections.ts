import type { Socket } from "node:net";
import type { Target } from "@querybell/guard";
import { Client } from "undici";
import type { OpenSocket } from "./open-socket.ts";

/** One socket to one checked address, carrying one request at a time. */
export interface Connection {
  client: Client;
  socket: Socket;
  address: string;
}

/** Idle connections, by origin. The most recently used is reused first. */
export interface Connections {
  /** Takes an idle connection to one of these addresses, which the guard has just checked. */
  takeIdle(origin: string, addresses: readonly string[]): Connection | undefined;
  /** A connection on a new socket. */
  create(target: Target, opened: OpenSocket): Connection;
  /** Returns a connection for the next request. */
  release(origin: string, connection: Connection): void;
  /** Closes idle connections, and those in use once they are released. */
  close(): void;
}

/**
 * How long an idle connection is kept: long enough for the next burst of events, short enough that few sockets stay
 * open. If the receiver closes it earlier, the attempt that uses it retries once on a new connection.
 */
const idleLifetimeMs = 15_000;
const maxResponseHeaderBytes = 16_384;

/**
 * undici speaks HTTP on sockets that we open. It must never connect by itself, for it would resolve the name again
 * and so bypass the guard.
 */
export function createConnections(maxIdle: number): Connections {
  const idle = new Map<string, Connection[]>();
  let idleCount = 0;
  let isClosed = false;

  function removeIdle(origin: string, connection: Connection): void {
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
    takeIdle(origin, addresses) {
      const list = idle.get(origin);
      for (let connection = list?.pop(); connection; connection = list?.pop()) {
        idleCount -= 1;
        if (!connection.socket.destroyed && addresses.includes(connection.address)) return connection;
        connection.socket.destroy();
      }
      return undefined;
    },

    create({ origin }, { socket, address }) {
      const connection: Connection = { client: createClient(origin, socket), socket, address };
      socket.once("close", () => removeIdle(origin, connection));
      return connection;
    },

    release(origin, connection) {
      if (isClosed || connection.socket.destroyed || idleCount >= maxIdle) {
        connection.socket.destroy();
        return;
      }
      const list = idle.get(origin);
      if (list) list.push(connection);
      else idle.set(origin, [connection]);
      idleCount += 1;
    },

    close() {
      isClosed = true;
      for (const connection of [...idle.values()].flat()) connection.socket.destroy();
    },
  };
}

/** An undici client that uses this socket, and fails when it would open another. */
function createClient(origin: string, socket: Socket): Client {
  let isSocketUsed = false;
  return new Client(origin, {
    connect: (_options, callback) => {
      const isReconnect = isSocketUsed;
      isSocketUsed = true;
      // undici ignores a callback that is called before `connect` returns.
      queueMicrotask(() =>
        isReconnect ? callback(new Error("The connection was closed."), null) : callback(null, socket),
      );
    },
    allowH2: false,
    pipelining: 1,
    // The deadline of the attempt covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleLifetimeMs,
    keepAliveMaxTimeout: idleLifetimeMs,
    maxHeaderSize: maxResponseHeaderBytes,
  });
}
