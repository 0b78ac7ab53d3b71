import type { SecureContext } from "node:tls";
import type { Guard, Target } from "@querybell/guard";
import type { Dispatcher } from "undici";
import type { Attempt, ResponseSeen } from "./attempt.ts";
import type { Connection, Connections } from "./connections.ts";
import { exchangeFailure } from "./failures.ts";
import { openFirst, type Progress } from "./open-socket.ts";
import type { Outcome, Phase } from "./outcome.ts";

export interface SendingContext {
  guard: Guard;
  connections: Connections;
  secureContext: SecureContext;
  deadlineMs: number;
}

export interface OutgoingRequest {
  startedAt: Date;
  target: Target;
  /** Names and values in turn. */
  headers: string[];
  body: Uint8Array;
}

const maxBodyRead = 65_536;
const maxBodyKept = 4_096;
const noBytes = new Uint8Array();

/**
 * One attempt from start to end; undici calls it back as the response comes. A class, since the path over
 * a kept connection then makes one object and no closures, and takes no turn of the event loop.
 */
export class Attempting implements Dispatcher.DispatchHandler, Progress {
  phase: Phase = "dns";
  address: string | undefined;
  dns: number | undefined;
  connect: number | undefined;
  tls: number | undefined;

  readonly #context: SendingContext;
  readonly #request: OutgoingRequest;
  readonly #done: (attempt: Attempt) => void;
  readonly #beganAt = performance.now();
  #deadline: NodeJS.Timeout | undefined;
  #opening: AbortController | undefined;
  #connection: Connection | undefined;
  #reused = false;
  #mustOpen = false;
  #requestedAt = 0;
  #firstByte: number | undefined;
  #response: ResponseSeen | undefined;
  #ended = false;

  constructor(context: SendingContext, request: OutgoingRequest, done: (attempt: Attempt) => void) {
    this.#context = context;
    this.#request = request;
    this.#done = done;
  }

  start(): void {
    this.#deadline = setTimeout(expire, this.#context.deadlineMs, this);
    const checked = this.#context.guard.recall(this.#request.target.host);
    const kept = checked && this.#takeKept(checked.addresses);
    if (kept) this.#dispatch(kept);
    else this.#dispatchLater();
  }

  /** The time is over, whatever the attempt is doing. A status that has come still counts. */
  expire(): void {
    if (this.#response) this.#endResponse(this.#response, "deadline");
    else this.#end({ kind: "timeout", phase: this.phase });
  }

  #dispatchLater(): void {
    this.#connect().then(
      (result) => {
        if (result.kind !== "connected") this.#end(result);
        else if (this.#ended) result.connection.socket.destroy();
        else this.#dispatch(result.connection);
      },
      (error) => this.#end({ kind: "sender_failure", code: String(error) }),
    );
  }

  async #connect(): Promise<{ kind: "connected"; connection: Connection } | Outcome> {
    const { guard, connections, secureContext, deadlineMs } = this.#context;
    const { target } = this.#request;
    const opening = new AbortController();
    this.#opening = opening;
    this.phase = "dns";
    const askedAt = performance.now();
    const checked = await guard.check(target.host, opening.signal);
    this.dns = performance.now() - askedAt;
    if (checked.kind !== "checked") return checked;

    const kept = this.#takeKept(checked.addresses);
    if (kept) return { kind: "connected", connection: kept };
    const route = { target, secureContext, signal: opening.signal, patienceMs: deadlineMs / 5 };
    const opened = await openFirst(route, checked.addresses, this);
    if (opened.kind !== "opened") return opened;
    return { kind: "connected", connection: connections.adopt(target, opened) };
  }

  #takeKept(addresses: readonly string[]): Connection | undefined {
    if (this.#mustOpen) return undefined;
    const kept = this.#context.connections.take(this.#request.target.origin, addresses);
    this.#reused = kept !== undefined;
    return kept;
  }

  #dispatch(connection: Connection): void {
    const { target, headers, body } = this.#request;
    this.#connection = connection;
    this.address = connection.address;
    this.phase = "response";
    this.#requestedAt = performance.now();
    connection.client.dispatch({ method: "POST", path: target.path, headers, body }, this);
  }

  /** Required by undici; the deadline ends a request by closing its connection. */
  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#firstByte = performance.now() - this.#requestedAt;
  }

  onResponseStart(_: unknown, status: number, headers: ResponseSeen["headers"]): void {
    // 1xx only announces the answer.
    if (status < 200) return;
    this.#response = { status, headers, body: noBytes, bodyBytes: 0, bodyEnd: "complete" };
  }

  onResponseData(_: unknown, chunk: Uint8Array): void {
    const response = this.#response;
    if (!response) return;
    const room = maxBodyKept - response.body.length;
    // Copied, for a view would keep the socket's whole buffer alive.
    if (room > 0) response.body = Buffer.concat([response.body, chunk.subarray(0, room)]);
    response.bodyBytes = Math.min(response.bodyBytes + chunk.length, maxBodyRead);
    if (response.bodyBytes === maxBodyRead) this.#endResponse(response, "cut");
  }

  onResponseEnd(): void {
    if (this.#response) this.#endResponse(this.#response, "complete");
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#ended) return;
    if (this.#response) {
      this.#endResponse(this.#response, "broken");
    } else if (this.#reused && this.#firstByte === undefined) {
      // The receiver gave up a kept connection as we wrote to it. That is no answer: use a new one, once.
      this.#reused = false;
      this.#mustOpen = true;
      this.#dispatchLater();
    } else {
      this.#end(exchangeFailure(error, this.#firstByte !== undefined));
    }
  }

  #endResponse(response: ResponseSeen, bodyEnd: ResponseSeen["bodyEnd"]): void {
    response.bodyEnd = bodyEnd;
    this.#end(outcomeOf(response));
  }

  #end(outcome: Outcome): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#deadline);
    this.#leaveConnection();
    const { address, dns, connect, tls } = this;
    this.#done({
      outcome,
      startedAt: this.#request.startedAt,
      headers: this.#request.headers,
      address,
      reusedConnection: this.#reused,
      timings: { dns, connect, tls, firstByte: this.#firstByte, total: performance.now() - this.#beganAt },
      response: this.#response,
    });
  }

  /** A connection whose response was read to its end carries the next request; any other is closed. */
  #leaveConnection(): void {
    if (this.#connection && this.#response?.bodyEnd === "complete") {
      this.#context.connections.release(this.#request.target.origin, this.#connection);
    } else {
      this.#opening?.abort();
      this.#connection?.socket.destroy();
    }
  }
}

const expire = (attempting: Attempting) => attempting.expire();

const redirects = new Set([300, 301, 302, 303, 307, 308]);

function outcomeOf({ status, headers }: ResponseSeen): Outcome {
  if (status < 300) return { kind: "success", status };
  if (!redirects.has(status)) return { kind: "status", status };
  const { location } = headers;
  return { kind: "redirect", status, location: typeof location === "string" ? location : undefined };
}
