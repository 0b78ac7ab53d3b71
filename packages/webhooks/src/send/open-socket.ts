import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectSecure, type SecureContext } from "node:tls";
import type { Target } from "@querybell/guard";
import { connectionFailure } from "./failures.ts";
import type { Outcome, Phase } from "./outcome.ts";

export interface Opened {
  kind: "opened";
  socket: Socket;
  address: string;
}

/** Where opening a connection stands, for the timings and for naming what a deadline interrupted. */
export interface Progress {
  phase: Phase;
  /** The last address tried. */
  address: string | undefined;
  connect: number | undefined;
  tls: number | undefined;
}

export interface Route {
  target: Target;
  secureContext: SecureContext;
  signal: AbortSignal;
  /** How long one address may take to accept while another is left to try. */
  patienceMs: number;
}

/** Tries the checked addresses in turn, until one accepts. Only these are ever connected to. */
export async function openFirst(route: Route, addresses: readonly string[], progress: Progress) {
  let failure: Outcome = { kind: "unreachable", code: "ENODATA" };
  for (const [index, address] of addresses.entries()) {
    progress.phase = "connect";
    progress.address = address;
    const isLast = index === addresses.length - 1;
    const opened = await openSocket(isLast ? { ...route, patienceMs: 0 } : route, address, progress);
    // A host that speaks badly speaks so on all its addresses; one that is not there may be on the next.
    if (opened.kind === "opened" || progress.phase !== "connect" || route.signal.aborted) return opened;
    failure = opened;
  }
  return failure;
}

function openSocket(
  { target, secureContext, signal, patienceMs }: Route,
  address: string,
  progress: Progress,
): Promise<Opened | Outcome> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const where = { host: address, port: target.port };
    const socket = target.secure
      ? connectSecure({ ...where, ...tlsOptions(target, secureContext) })
      : connectPlain(where);
    const abandon = () => socket.destroy();
    let settled = false;
    const settle = (result: Opened | Outcome) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener("abort", abandon);
      if (result.kind !== "opened") socket.destroy();
      resolve(result);
    };
    const open = () => settle({ kind: "opened", socket, address });

    signal.addEventListener("abort", abandon, { once: true });
    socket.setNoDelay(true);
    socket.setTimeout(patienceMs, () => settle({ kind: "timeout", phase: "connect" }));
    // This listener stays: an error between here and the first request must not be unhandled.
    socket.on("error", (error) => settle(connectionFailure(error, progress.phase)));
    socket.once("close", () => settle({ kind: "connection_reset" }));
    socket.once("connect", () => {
      progress.connect = performance.now() - startedAt;
      socket.setTimeout(0);
      if (target.secure) progress.phase = "tls";
      else open();
    });
    socket.once("secureConnect", () => {
      progress.tls = performance.now() - startedAt - (progress.connect ?? 0);
      open();
    });
  });
}

const tlsOptions = ({ host }: Target, secureContext: SecureContext) => ({
  secureContext,
  rejectUnauthorized: true,
  ALPNProtocols: ["http/1.1"],
  // The certificate is checked against the name although an address is dialled; SNI has no addresses.
  servername: host.isAddress ? "" : host.name,
});
