import { type SecureContext, TLSSocket } from "node:tls";
import type { Guard, Target } from "@querybell/guard";
import type { Dispatcher } from "undici";
import { type Connection, type Connections, type ConnectProgress, openSocketToFirst } from "./connections.ts";
import {
  type AttemptResult,
  type Outcome,
  type Phase,
  type ReceivedResponse,
  toRequestFailure,
} from "./outcome.ts";

/** Called with a receiver's host (and port, if it is not 443) and the end of its certificate, for each new connection. */
export type OnCertificate = (host: string, expiresAt: Date) => void;

/** What all attempts of a sender share. */
export interface SenderContext {
  guard: Guard;
  connections: Connections;
  secureContext: SecureContext;
  onCertificate: OnCertificate;
  /** Ends attempts whose deadline has passed, a few in each turn of the event loop. */
  expireSoon(attempt: HttpAttempt): void;
}

interface OutgoingRequest {
  startedAt: Date;
  target: Target;
  /** Name, value, name, value … */
  headers: string[];
  body: Uint8Array;
}

/** For one attempt, from the name lookup to the end of the response's body. */
const deadlineMs = 10_000;
/** More than any useful answer; reading on would only help a receiver that wants to keep us busy. */
const maxBodyRead = 65_536;
/** As much of the body as the log keeps, enough for an error message. */
const maxBodyKept = 4_096;
/** An address that does not accept within this time leaves time for four others. */
const acceptTimeoutMs = deadlineMs / 5;
const noBytes = new Uint8Array();

/**
 * One attempt from start to end. It is also undici's handler for the response. A class, because this is the hot path:
 * on a reused connection it allocates one object, creates no closures and sends within the same tick.
 */
export class HttpAttempt implements Dispatcher.DispatchHandler, ConnectProgress {
  phase: Phase = "dns";
  address: string | undefined;
  dns: number | undefined;
  connect: number | undefined;
  tls: number | undefined;

  readonly #context: SenderContext;
  readonly #request: OutgoingRequest;
  readonly #done: (result: AttemptResult) => void;
  readonly #startedMs = performance.now();
  #deadline: NodeJS.Timeout | undefined;
  #connecting: AbortController | undefined;
  #connection: Connection | undefined;
  #isReused = false;
  #mustOpenNew = false;
  #requestedAt = 0;
  #firstByte: number | undefined;
  #response: ReceivedResponse | undefined;
  #hasEnded = false;

  constructor(context: SenderContext, request: OutgoingRequest, done: (result: AttemptResult) => void) {
    this.#context = context;
    this.#request = request;
    this.#done = done;
  }

  start(): void {
    this.#deadline = setTimeout(deadlinePassed, deadlineMs, this);
    const checked = this.#context.guard.findChecked(this.#request.target.host);
    const idle = checked && this.#takeIdle(checked.addresses);
    if (idle) this.#dispatch(idle);
    else this.#connectAndDispatch();
  }

  deadlinePassed(): void {
    this.#context.expireSoon(this);
  }

  /** Ends the attempt after its deadline. If the status was received, it still decides the outcome. */
  expire(): void {
    if (this.#hasEnded) return;
    if (this.#response) this.#endResponse(this.#response, "deadline");
    else this.#end({ kind: "timeout", phase: this.phase });
  }

  #connectAndDispatch(): void {
    this.#connect().then(
      (result) => {
        if (result.kind !== "connected") this.#end(result);
        else if (this.#hasEnded) result.connection.socket.destroy();
        else this.#dispatch(result.connection);
      },
      (error) => this.#end({ kind: "sender_failure", code: String(error) }),
    );
  }

  async #connect(): Promise<{ kind: "connected"; connection: Connection } | Outcome> {
    const { guard, connections, secureContext, onCertificate } = this.#context;
    const { target } = this.#request;
    const connecting = new AbortController();
    this.#connecting = connecting;
    this.phase = "dns";
    const lookupStartedAt = performance.now();
    const checked = await guard.check(target.host, connecting.signal);
    this.dns = performance.now() - lookupStartedAt;
    if (checked.kind !== "checked") return checked;

    const idle = this.#takeIdle(checked.addresses);
    if (idle) return { kind: "connected", connection: idle };
    const { signal } = connecting;
    const options = { target, secureContext, signal, acceptTimeoutMs };
    const opened = await openSocketToFirst(checked.addresses, options, this);
    if (opened.kind !== "open") return opened;
    if (opened.socket instanceof TLSSocket) {
      // Undefined in a session that is resumed.
      const expiresAt = opened.socket.getPeerX509Certificate()?.validToDate;
      if (expiresAt) onCertificate(target.origin.slice("https://".length), expiresAt);
    }
    return { kind: "connected", connection: connections.create(target, opened) };
  }

  #takeIdle(addresses: readonly string[]): Connection | undefined {
    if (this.#mustOpenNew) return undefined;
    const idle = this.#context.connections.takeIdle(this.#request.target.origin, addresses);
    this.#isReused = idle !== undefined;
    return idle;
  }

  #dispatch(connection: Connection): void {
    const { target, headers, body } = this.#request;
    this.#connection = connection;
    this.address = connection.address;
    this.phase = "response";
    this.#requestedAt = performance.now();
    connection.client.dispatch({ method: "POST", path: target.path, headers, body }, this);
  }

  /** Required by undici. A request is aborted by closing its connection. */
  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#firstByte = performance.now() - this.#requestedAt;
  }

  onResponseStart(_: unknown, status: number, headers: ReceivedResponse["headers"]): void {
    // 1xx: the final response follows.
    if (status < 200) return;
    this.#response = { status, headers, body: noBytes, bodyBytes: 0, bodyEnd: "complete" };
  }

  onResponseData(_: unknown, chunk: Uint8Array): void {
    const response = this.#response;
    if (!response) return;
    const capacity = maxBodyKept - response.body.length;
    // Copied: a view would keep the socket's whole buffer in memory.
    if (capacity > 0) response.body = Buffer.concat([response.body, chunk.subarray(0, capacity)]);
    response.bodyBytes = Math.min(response.bodyBytes + chunk.length, maxBodyRead);
    if (response.bodyBytes === maxBodyRead) this.#endResponse(response, "cut");
  }

  onResponseEnd(): void {
    if (this.#response) this.#endResponse(this.#response, "complete");
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#hasEnded) return;
    if (this.#response) {
      this.#endResponse(this.#response, "broken");
    } else if (this.#isReused && this.#firstByte === undefined) {
      // The receiver closed the idle connection just as we wrote to it. Retry once, on a new connection.
      this.#isReused = false;
      this.#mustOpenNew = true;
      this.#connectAndDispatch();
    } else {
      this.#end(toRequestFailure(error, this.#firstByte !== undefined));
    }
  }

  #endResponse(response: ReceivedResponse, bodyEnd: ReceivedResponse["bodyEnd"]): void {
    response.bodyEnd = bodyEnd;
    this.#end(toOutcome(response));
  }

  #end(outcome: Outcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#deadline);
    this.#releaseConnection();
    const { address, dns, connect, tls } = this;
    this.#done({
      outcome,
      startedAt: this.#request.startedAt,
      headers: this.#request.headers,
      address,
      reusedConnection: this.#isReused,
      timings: { dns, connect, tls, firstByte: this.#firstByte, total: performance.now() - this.#startedMs },
      response: this.#response,
    });
  }

  /** A connection whose response was read completely can be reused; any other is closed. */
  #releaseConnection(): void {
    if (this.#connection && this.#response?.bodyEnd === "complete") {
      this.#context.connections.release(this.#request.target.origin, this.#connection);
    } else {
      this.#connecting?.abort();
      this.#connection?.socket.destroy();
    }
  }
}

// A constant function: the timer of each attempt needs no closure.
const deadlinePassed = (attempt: HttpAttempt) => attempt.deadlinePassed();

const redirects = new Set([300, 301, 302, 303, 307, 308]);

function toOutcome({ status, headers }: ReceivedResponse): Outcome {
  if (status < 300) return { kind: "success", status };
  if (!redirects.has(status)) return { kind: "status", status };
  const { location } = headers;
  return { kind: "redirect", status, location: typeof location === "string" ? location : undefined };
}
