import { Resolver } from "node:dns/promises";
import { type Policy, type Refusal, refuseAddress } from "./policy.ts";
import { type Host, isLocalhost, parseHost, parseTarget, type Target } from "./target.ts";

/** The addresses of a host, each of which the policy allows. Connect to one of these, never to the name. */
interface CheckedAddresses {
  kind: "checked";
  addresses: readonly string[];
}

type CheckResult = CheckedAddresses | Refusal;

/** Decides which hosts and addresses we connect to. */
export interface Guard {
  /** Parses a URL. Does not ask name servers. */
  parseTarget(url: string): Target | Refusal;
  /** Parses a host that is not part of a URL, such as a database's. */
  parseHost(host: string): Host | Refusal;
  /** The cached result of a check of the last 30 seconds. Synchronous, for the hot path of sending. */
  findChecked(host: Host): CheckedAddresses | undefined;
  /** The cached result, or a new one. Rejects with the signal's reason if the signal is aborted first. */
  check(host: Host, signal?: AbortSignal): Promise<CheckResult>;
}

interface GuardOptions extends ResolveOptions {
  policy: Policy;
  clock: { now(): Date };
}

interface CachedAddresses extends CheckedAddresses {
  checkedAt: number;
}

interface Lookup {
  resolution: Resolution;
  result: Promise<CheckResult>;
  waiting: number;
}

/** How long a result is cached. A host that changes its addresses is found again within this time. */
const cacheLifetimeMs = 30_000;
const maxCached = 10_000;

export function createGuard({ policy, clock, ...resolveOptions }: GuardOptions): Guard {
  const cache = new Map<string, CachedAddresses>();
  const lookups = new Map<string, Lookup>();

  function findChecked({ name }: Host): CheckedAddresses | undefined {
    const cached = cache.get(name);
    if (!cached) return undefined;
    const ageMs = clock.now().getTime() - cached.checkedAt;
    // The age is negative after the clock was set back. Such an answer may be old, so it is not used.
    if (ageMs >= 0 && ageMs < cacheLifetimeMs) return cached;
    cache.delete(name);
    return undefined;
  }

  function addToCache(name: string, addresses: readonly string[]): CheckedAddresses {
    const checked: CachedAddresses = { kind: "checked", addresses, checkedAt: clock.now().getTime() };
    const [oldest] = cache.keys();
    if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest);
    cache.set(name, checked);
    return checked;
  }

  /** One refused address refuses all: no public host has private addresses too. */
  function checkAddresses(name: string, addresses: readonly string[]): CheckResult {
    for (const address of addresses) {
      const refusal = refuseAddress(address, policy);
      if (refusal) return refusal;
    }
    return addToCache(name, addresses);
  }

  function startLookup(name: string): Lookup {
    const resolution = resolveName(name, resolveOptions);
    const result = resolution.result.then((resolved) => {
      if (lookups.get(name) === lookup) lookups.delete(name);
      return resolved.kind === "resolved" ? checkAddresses(name, resolved.addresses) : resolved;
    });
    const lookup: Lookup = { resolution, result, waiting: 0 };
    lookups.set(name, lookup);
    return lookup;
  }

  /** Single flight: concurrent checks of one name share a lookup. It is cancelled when the last one is aborted. */
  function shareLookup(name: string, signal: AbortSignal | undefined): Promise<CheckResult> {
    const lookup = lookups.get(name) ?? startLookup(name);
    if (!signal) {
      lookup.waiting += 1;
      return lookup.result;
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        lookup.waiting -= 1;
        if (lookup.waiting === 0) {
          lookups.delete(name);
          lookup.resolution.cancel();
        }
        reject(signal.reason);
      };
      lookup.waiting += 1;
      signal.addEventListener("abort", onAbort, { once: true });
      lookup.result.then((result) => {
        signal.removeEventListener("abort", onAbort);
        resolve(result);
      }, reject);
    });
  }

  return {
    parseTarget: (url) => parseTarget(url, policy),
    parseHost: (host) => parseHost(host, policy),
    findChecked,
    async check(host, signal) {
      signal?.throwIfAborted();
      const cached = findChecked(host);
      if (cached) return cached;
      if (host.isAddress) return checkAddresses(host.name, [host.name]);
      if (isLocalhost(host.name)) return checkAddresses(host.name, ["127.0.0.1", "::1"]);
      return shareLookup(host.name, signal);
    },
  };
}

interface Resolution {
  result: Promise<{ kind: "resolved"; addresses: string[] } | Refusal>;
  cancel(): void;
}

interface ResolveOptions {
  /** Name servers to ask, as `address` or `address:port`; the machine's own when absent. */
  servers?: readonly string[];
}

/**
 * Looks up the A and AAAA records of an absolute name; IPv4 addresses come first.
 *
 * Only DNS is asked. `/etc/hosts` and search domains name hosts inside the operator's network, which a customer's URL
 * must not reach; an operator configures a database there by its address. Each lookup has a separate resolver, so it
 * can be cancelled alone, and it blocks no thread as `dns.lookup` would.
 */
function resolveName(name: string, { servers }: ResolveOptions): Resolution {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  const answers = Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return {
    result: answers.then((settled) => combine(name, settled)),
    cancel: () => resolver.cancel(),
  };
}

function combine(name: string, settled: PromiseSettledResult<string[]>[]) {
  const addresses = settled.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return { kind: "resolved" as const, addresses };
  const code = failureCode(settled);
  return { kind: "dns" as const, message: describe(name, code) };
}

// If the lookup of one family failed, its code says more than "no such record" of the other family.
function failureCode(settled: PromiseSettledResult<string[]>[]): string {
  const codes = settled.flatMap((answer) => (answer.status === "rejected" ? [codeOf(answer.reason)] : []));
  return codes.find((code) => code !== "ENODATA" && code !== "ENOTFOUND") ?? codes[0] ?? "ENODATA";
}

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";

function describe(name: string, code: string): string {
  if (code === "ENOTFOUND") return `There is no host named ${name}.`;
  if (code === "ENODATA") return `The name ${name} exists but has no address.`;
  return `The name servers gave no answer for ${name} (${code}).`;
}
