import { isIP } from "node:net";
import { createGuard, type Network, publicOnly, type Refusal } from "@querybell/guard";
import { Agent, request } from "undici";

/** The address of a model. */
export interface ModelServer {
  /** The base of the protocol's paths, such as https://models.example.com/v1. */
  url: string;
  name: string;
  apiKey: string | null;
}

type CheckedUrl =
  | { kind: "checked"; url: URL; addresses: readonly string[]; isPublic: boolean }
  | { kind: "refused"; message: string };

export interface UrlGuard {
  /** Parses the URL and checks the addresses of its host. Connect to one of these, never to the name. */
  check(url: string, signal?: AbortSignal): Promise<CheckedUrl>;
}

export type ModelGuard = UrlGuard;

interface ModelGuardOptions {
  /** The operator's own networks in which models may be. */
  networks: readonly Network[];
  clock: { now(): Date };
}

const refused = (message: string): CheckedUrl => ({ kind: "refused", message });

/** Decides which servers of models may be connected to: public ones over https, and those in the operator's networks. */
export function createModelGuard({ networks, clock }: ModelGuardOptions): ModelGuard {
  const guard = createGuard({ policy: { allowLoopback: false, allowNetworks: networks }, clock });
  const outside = createGuard({ policy: publicOnly, clock });
  return {
    async check(text, signal) {
      if (!URL.canParse(text) || /\s/.test(text))
        return refused("This is not a URL: write it like https://models.example.com/v1.");
      const url = new URL(text);
      if (url.protocol !== "https:" && url.protocol !== "http:") return refused("The URL must use https.");
      if (url.username !== "" || url.password !== "")
        return refused("The URL carries credentials. Give the key by itself.");
      if (url.search !== "" || url.hash !== "")
        return refused("The URL must end with its path, such as /v1.");
      const host = guard.parseHost(url.hostname);
      if (host.kind !== "host") return refused(withHint(host));
      const checked = await guard.check(host, signal);
      if (checked.kind !== "checked") return refused(withHint(checked));
      const known = outside.parseHost(url.hostname);
      const isPublic = known.kind === "host" && (await outside.check(known, signal)).kind === "checked";
      if (url.protocol === "http:" && isPublic) {
        return refused("Plain http is for models in private networks: use https.");
      }
      return { kind: "checked", url, addresses: checked.addresses, isPublic };
    },
  };
}

const withHint = ({ kind, message }: Refusal): string =>
  kind === "refused_address"
    ? `${message} The operator can open a private network with MODEL_NETWORKS.`
    : message;

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
export function createGuardedFetch(guard: UrlGuard, { silenceMs, maxBytes }: FetchLimits): GuardedFetch {
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
        method: init.method === "GET" ? "GET" : "POST",
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.method !== "GET" && { body: typeof init.body === "string" ? init.body : "" }),
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

/** A DNS lookup that returns the checked addresses for every name. */
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
