import { createSecureContext } from "node:tls";
import type { Clock } from "@querybell/domain";
import type { Guard } from "@querybell/guard";
import type { Attempt } from "./attempt.ts";
import { Attempting, type SendingContext } from "./attempting.ts";
import { createConnections } from "./connections.ts";
import { type PreparedEndpoint, signedHeaders } from "./endpoint.ts";
import type { Outcome } from "./outcome.ts";
import type { OutgoingEvent } from "./signing.ts";

export interface SenderOptions {
  guard: Guard;
  clock: Clock;
  /** Over everything from the name to the headers, and the body's reading; 10 seconds. */
  deadlineMs?: number;
  /** Certificate authorities to trust instead of Node's own, as PEM. */
  ca?: string;
  /** Connections kept open without a request, over all receivers; 1,024. */
  maxIdleConnections?: number;
}

export interface Sender {
  /** Makes one attempt. Always resolves: how it went is the attempt's outcome. */
  send(endpoint: PreparedEndpoint, event: OutgoingEvent): Promise<Attempt>;
  /** Closes kept connections. Attempts in flight go on to their end. */
  close(): void;
}

export function createSender(options: SenderOptions): Sender {
  const { guard, clock, deadlineMs = 10_000, ca, maxIdleConnections = 1_024 } = options;
  const connections = createConnections(maxIdleConnections);
  // One for all: making it reads the certificate authorities, which costs more than a handshake.
  const secureContext = createSecureContext(ca === undefined ? {} : { ca });
  const context: SendingContext = { guard, connections, secureContext, deadlineMs };
  return {
    send(endpoint, event) {
      const startedAt = clock.now();
      const { target } = endpoint;
      if (target.kind !== "target") return Promise.resolve(refusedAttempt(target, startedAt));
      const headers = signedHeaders(endpoint, event, Math.floor(startedAt.getTime() / 1000));
      const request = { startedAt, target, headers, body: event.body };
      return new Promise((resolve) => new Attempting(context, request, resolve).start());
    },
    close: () => connections.close(),
  };
}

const refusedAttempt = (outcome: Outcome, startedAt: Date): Attempt => ({
  outcome,
  startedAt,
  headers: [],
  address: undefined,
  reusedConnection: false,
  timings: { dns: undefined, connect: undefined, tls: undefined, firstByte: undefined, total: 0 },
  response: undefined,
});
