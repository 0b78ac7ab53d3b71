import type { PlatformRequest, PlatformResponse } from "./platform.ts";
import { type SentEvent, sampleEvent } from "./sample-event.ts";
import { createSecret, type SignedRequest, signRequest } from "./sign-request.ts";

/** Where to send: the address of a running server, or a Fetch handler such as a Next route. */
export type Target =
  | string
  | { readonly href: string }
  | ((request: PlatformRequest) => PlatformResponse | Promise<PlatformResponse>);

export interface FakeSenderOptions {
  target: Target;
  /** The secret that the receiver under test knows. */
  secret: string;
  /** The address in the request that a Fetch handler gets, for one that routes by it. Default: `http://localhost/`. */
  url?: string;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  clock?: () => number;
}

/** Sends the requests that a receiver must handle. Every method returns the receiver's response. */
export interface FakeSender {
  /** A genuine delivery. Expect 2xx. */
  send(event?: SentEvent): Promise<PlatformResponse>;
  /** The same event again and again, as retries do: each with a fresh timestamp and signature. Expect 2xx. */
  sendDuplicates(times?: number, event?: SentEvent): Promise<PlatformResponse[]>;
  /** The same event several times at once. Expect one 2xx; the others 2xx or 409. */
  sendAtOnce(times?: number, event?: SentEvent): Promise<PlatformResponse[]>;
  /** Signed an hour ago. Expect 400 `timestamp_too_old`. */
  sendStale(): Promise<PlatformResponse>;
  /** Signed for an hour from now. Expect 400 `timestamp_in_future`. */
  sendEarly(): Promise<PlatformResponse>;
  /** One byte of the body was changed after signing. Expect 400 `signature_mismatch`. */
  sendTampered(): Promise<PlatformResponse>;
  /**
   * Signed with another secret: one the receiver also knows (expect 2xx), or by default an unknown one (400).
   */
  sendRotated(secret?: string): Promise<PlatformResponse>;
  /** A genuine event of a type that does not exist yet. Expect 2xx. */
  sendUnknown(): Promise<PlatformResponse>;
}

const hour = 3600;

export function createFakeSender(options: FakeSenderOptions): FakeSender {
  const { target, secret, url = "http://localhost/", clock = Date.now } = options;
  const post = async (signed: SignedRequest): Promise<PlatformResponse> => {
    const init = { method: "POST", ...signed };
    if (typeof target === "function") return target(new Request(url, init));
    return fetch(typeof target === "string" ? target : target.href, init);
  };
  const now = () => Math.floor(clock() / 1000);
  const signed = (event: SentEvent, timestamp = now()) => signRequest({ secret, payload: event, timestamp });
  const send = async (event = sampleEvent()) => post(await signed(event));

  return {
    send,
    async sendDuplicates(times = 2, event = sampleEvent()) {
      const answers: PlatformResponse[] = [];
      for (let sent = 0; sent < times; sent++) answers.push(await send(event));
      return answers;
    },
    sendAtOnce: (times = 2, event = sampleEvent()) =>
      Promise.all(Array.from({ length: times }, () => send(event))),
    sendStale: async () => post(await signed(sampleEvent(), now() - hour)),
    sendEarly: async () => post(await signed(sampleEvent(), now() + hour)),
    async sendTampered() {
      const { headers, body } = await signed(sampleEvent());
      const changed = body.with(-2, (body.at(-2) ?? 0) ^ 1);
      return post({ headers, body: changed });
    },
    sendRotated: async (other = createSecret()) =>
      post(await signRequest({ secret: other, payload: sampleEvent(), timestamp: now() })),
    sendUnknown: () => send(sampleEvent("automation.run.imagined")),
  };
}
