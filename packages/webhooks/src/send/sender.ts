import type { KeyObject } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Clock } from "@querybell/domain";
import type { Guard } from "@querybell/guard";
import { createTurnBudget } from "../turn-budget.ts";
import { createConnections } from "./connections.ts";
import { HttpAttempt, type OnCertificate, type SenderContext } from "./http-attempt.ts";
import type { AttemptResult, Outcome } from "./outcome.ts";
import { createHeaders, type OutgoingEvent, type Recipient } from "./recipient.ts";

export interface SenderOptions {
  guard: Guard;
  clock: Clock;
  /** Certificate authorities to trust in place of Node's own, as PEM. */
  ca?: string;
  /** The most connections that are kept open without a request, over all receivers; 1,024. */
  maxIdleConnections?: number;
  onCertificate?: OnCertificate;
}

export interface Sender {
  /** Makes one attempt. Never rejects: a failure is the outcome of the result. */
  send(
    recipient: Recipient,
    keys: readonly KeyObject[],
    event: OutgoingEvent & { traceparent?: string | undefined },
  ): Promise<AttemptResult>;
  /** Closes idle connections. Attempts in flight continue to their end. */
  close(): void;
}

export function createSender(options: SenderOptions): Sender {
  const { guard, clock, ca, maxIdleConnections = 1_024, onCertificate = () => {} } = options;
  const connections = createConnections(maxIdleConnections);
  // Shared by all connections: creating it reads the certificate authorities, which costs more than a handshake.
  const secureContext = createSecureContext(ca === undefined ? {} : { ca });
  const expireSoon = createExpirations();
  const context: SenderContext = { guard, connections, secureContext, onCertificate, expireSoon };
  return {
    send(recipient, keys, event) {
      const startedAt = clock.now();
      const { target } = recipient;
      if (target.kind !== "target") return Promise.resolve(attemptWithoutRequest(target, startedAt));
      const timestamp = Math.floor(startedAt.getTime() / 1000);
      const { traceparent } = event;
      const headers = createHeaders(recipient, { event, keys, timestamp, traceparent });
      const request = { startedAt, target, headers, body: event.body };
      return new Promise((resolve) => new HttpAttempt(context, request, resolve).start());
    },
    close: () => connections.close(),
  };
}

/** The result of an attempt that ended before anything was sent. */
export const attemptWithoutRequest = (outcome: Outcome, startedAt: Date): AttemptResult => ({
  outcome,
  startedAt,
  headers: [],
  address: undefined,
  reusedConnection: false,
  timings: { dns: undefined, connect: undefined, tls: undefined, firstByte: undefined, total: 0 },
  response: undefined,
});

/**
 * Ending an attempt closes a connection, and often the next attempt opens another: about half a millisecond. Attempts
 * that start together expire together, and hundreds in one turn would delay the deliveries of all other endpoints.
 */
const maxExpirationsPerTurn = 2;

function createExpirations(): SenderContext["expireSoon"] {
  const waiting = new Set<HttpAttempt>();
  const budget = createTurnBudget(maxExpirationsPerTurn, expireSome);

  function expireSome(): void {
    for (const attempt of waiting) {
      if (!budget.take()) return;
      waiting.delete(attempt);
      attempt.expire();
    }
  }

  return (attempt) => {
    waiting.add(attempt);
    expireSome();
  };
}
