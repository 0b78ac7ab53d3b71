import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectSecure, type SecureContext } from "node:tls";
import type { Target } from "@querybell/guard";
import { Client } from "undici";
import { type Outcome, type Phase, toConnectionFailure } from "./outcome.ts";

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

interface OpenSocket {
  kind: "open";
  socket: Socket;
  address: string;
}

/** The progress of opening a socket, for the timings and for the name of the phase that a deadline interrupts. */
export interface ConnectProgress {
  phase: Phase;
  /** The last address tried. */
  address: string | undefined;
  /** Milliseconds until the connection was accepted, and from then until the TLS handshake was done. */
  connect: number | undefined;
  tls: number | undefined;
}

interface ConnectOptions {
  target: Target;
  secureContext: SecureContext;
  signal: AbortSignal;
  /** How long one address may take to accept before the next one is tried. */
  acceptTimeoutMs: number;
}

/** Tries the checked addresses one after the other until one accepts. Never connects to any other address. */
export async function openSocketToFirst(
  addresses: readonly string[],
  options: ConnectOptions,
  progress: ConnectProgress,
): Promise<OpenSocket | Outcome> {
  let failure: Outcome = { kind: "unreachable", code: "ENODATA" };
  for (const [index, address] of addresses.entries()) {
    progress.phase = "connect";
    progress.address = address;
    const isLast = index === addresses.length - 1;
    // The last address has until the attempt's deadline: 0 is no timeout.
    const opened = await openSocket(address, isLast ? { ...options, acceptTimeoutMs: 0 } : options, progress);
    // After a failed TLS handshake the other addresses are not tried: they belong to the same server.
    if (opened.kind === "open" || progress.phase !== "connect" || options.signal.aborted) return opened;
    failure = opened;
  }
  return failure;
}

function openSocket(
  address: string,
  { target, secureContext, signal, acceptTimeoutMs }: ConnectOptions,
  progress: ConnectProgress,
): Promise<OpenSocket | Outcome> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const remote = { host: address, port: target.port };
    const socket = target.secure
      ? connectSecure({ ...remote, ...tlsOptions(target, secureContext) })
      : connectPlain(remote);
    const onAbort = () => socket.destroy();
    let isDone = false;
    const finish = (result: OpenSocket | Outcome) => {
      if (isDone) return;
      isDone = true;
      signal.removeEventListener("abort", onAbort);
      if (result.kind !== "open") socket.destroy();
      resolve(result);
    };
    const finishOpen = () => finish({ kind: "open", socket, address });

    signal.addEventListener("abort", onAbort, { once: true });
    socket.setNoDelay(true);
    socket.setTimeout(acceptTimeoutMs, () => finish({ kind: "timeout", phase: "connect" }));
    // Never removed: an error between here and the first request would be an uncaught exception.
    socket.on("error", (error) => finish(toConnectionFailure(error, progress.phase)));
    socket.once("close", () => finish({ kind: "connection_reset" }));
    socket.once("connect", () => {
      progress.connect = performance.now() - startedAt;
      socket.setTimeout(0);
      if (target.secure) progress.phase = "tls";
      else finishOpen();
    });
    socket.once("secureConnect", () => {
      progress.tls = performance.now() - startedAt - (progress.connect ?? 0);
      finishOpen();
    });
  });
}

const tlsOptions = ({ host }: Target, secureContext: SecureContext) => ({
  secureContext,
  rejectUnauthorized: true,
  ALPNProtocols: ["http/1.1"],
  // The certificate must be for the name, although we connect to an address. SNI does not allow addresses.
  servername: host.isAddress ? "" : host.name,
});
