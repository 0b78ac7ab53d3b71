import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectSecure, type SecureContext } from "node:tls";
import type { Target } from "@querybell/guard";
import { type Outcome, type Phase, toConnectionFailure } from "./outcome.ts";

export interface OpenSocket {
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

export interface ConnectOptions {
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
