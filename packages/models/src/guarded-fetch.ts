import { isIP } from "node:net";
import { Agent, request } from "undici";
import type { ModelGuard } from "./model-guard.ts";

export interface FetchLimits {
  /** How long the server may take until it answers, and between two pieces of an answer. */
  silenceMs: number;
  /** The maximum size of an answer. */
  maxBytes: number;
}

/** The guard refused to connect. */
export class RefusedUrlError extends Error {
  override readonly name = "RefusedUrlError";
}

class TooManyBytesError extends Error {
  override readonly name = "TooManyBytesError";
}

interface GuardedFetch {
  fetch: typeof fetch;
  /** Whether the last request went into a private network. */
  isPrivate(): boolean;
  close(): Promise<void>;
}

/** A `fetch` that connects to checked addresses only, follows no redirects, and limits silence and size. */
export function createGuardedFetch(guard: ModelGuard, { silenceMs, maxBytes }: FetchLimits): GuardedFetch {
  const agents = new Set<Agent>();
  let isPrivate = false;
  return {
    isPrivate: () => isPrivate,
    async fetch(input, init = {}) {
      const url = input instanceof Request ? input.url : String(input);
      const checked = await guard.check(url, init.signal ?? undefined);
      if (checked.kind === "refused") throw new RefusedUrlError(checked.message);
      isPrivate = !checked.isPublic;
      const agent = new Agent({
        connections: 1,
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
        connect: { timeout: Math.min(silenceMs, 10_000), lookup: toLookup(checked.addresses) },
      });
      agents.add(agent);
      const { statusCode, headers, body } = await request(checked.url, {
        dispatcher: agent,
        method: "POST",
        headers: Object.fromEntries(new Headers(init.headers)),
        body: typeof init.body === "string" ? init.body : "",
        ...(init.signal && { signal: init.signal }),
      });
      const flat = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      );
      return new Response(toStream(limited(body, maxBytes)), {
        status: statusCode < 200 ? 502 : statusCode,
        headers: flat,
      });
    },
    async close() {
      await Promise.all([...agents].map((agent) => agent.destroy()));
    },
  };
}

type Lookup = (
  hostname: string,
  options: { all?: boolean | undefined },
  done: (error: Error | null, found: string | { address: string; family: number }[], family?: number) => void,
) => void;

/** Answers the addresses that were checked, whatever is asked. */
const toLookup =
  (addresses: readonly string[]): Lookup =>
  (_hostname, { all }, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = found;
    if (!first) return done(new Error("There is no address."), "");
    if (all) done(null, found);
    else done(null, first.address, first.family);
  };

async function* limited(
  body: AsyncIterable<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let left = maxBytes;
  for await (const bytes of body) {
    left -= bytes.length;
    if (left < 0) throw new TooManyBytesError(`The answer has more than ${maxBytes} bytes.`);
    yield bytes;
  }
}

const toStream = (pieces: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
