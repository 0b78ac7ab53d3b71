import { type Host, isLocalhost, parseHost, type RefusedHost } from "./host.ts";
import { type Policy, type RefusedAddress, refuseAddress } from "./policy.ts";
import { type Resolution, type ResolveOptions, resolveName, type UnresolvedName } from "./resolve.ts";
import { parseTarget, type RefusedUrl, type Target } from "./target.ts";

/** Addresses that were all checked together. Connect to one of these, never to the name. */
export interface CheckedAddresses {
  kind: "checked";
  addresses: readonly string[];
}

export type CheckResult = CheckedAddresses | RefusedAddress | UnresolvedName;

export interface Guard {
  /** Reads a URL without asking any name server. */
  parseTarget(url: string): Target | RefusedUrl | RefusedAddress;
  /** Reads a host given without a URL, like a database's. */
  parseHost(host: string): Host | RefusedHost | RefusedAddress;
  /** An answer checked within the last 30 seconds, if there is one. Costs no turn of the event loop. */
  recall(host: Host): CheckedAddresses | undefined;
  /** The recalled answer, or a fresh one. Rejects with the signal's reason when that is aborted first. */
  check(host: Host, signal?: AbortSignal): Promise<CheckResult>;
}

interface GuardOptions extends ResolveOptions {
  policy: Policy;
  clock: { now(): Date };
}

interface Remembered extends CheckedAddresses {
  checkedAt: number;
}

interface Lookup {
  resolution: Resolution;
  result: Promise<CheckResult>;
  waiting: number;
}

const answerLifetimeMs = 30_000;
const maxRemembered = 10_000;

export function createGuard({ policy, clock, ...resolveOptions }: GuardOptions): Guard {
  const remembered = new Map<string, Remembered>();
  const lookups = new Map<string, Lookup>();

  function recall({ name }: Host): CheckedAddresses | undefined {
    const answer = remembered.get(name);
    if (!answer) return undefined;
    const age = clock.now().getTime() - answer.checkedAt;
    // A clock set back must not make an old answer young again.
    if (age >= 0 && age < answerLifetimeMs) return answer;
    remembered.delete(name);
    return undefined;
  }

  function remember(name: string, addresses: readonly string[]): CheckedAddresses {
    const answer: Remembered = { kind: "checked", addresses, checkedAt: clock.now().getTime() };
    const [oldest] = remembered.keys();
    if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest);
    remembered.set(name, answer);
    return answer;
  }

  function judge(name: string, addresses: readonly string[]): CheckResult {
    for (const address of addresses) {
      const refused = refuseAddress(address, policy);
      if (refused) return refused;
    }
    return remember(name, addresses);
  }

  function startLookup(name: string): Lookup {
    const resolution = resolveName(name, resolveOptions);
    const result = resolution.result.then((resolved) => {
      if (lookups.get(name) === lookup) lookups.delete(name);
      return resolved.kind === "resolved" ? judge(name, resolved.addresses) : resolved;
    });
    const lookup: Lookup = { resolution, result, waiting: 0 };
    lookups.set(name, lookup);
    return lookup;
  }

  /** Callers asking for one name at one time share a lookup; it is cancelled when the last one leaves. */
  function join(name: string, signal: AbortSignal | undefined): Promise<CheckResult> {
    const lookup = lookups.get(name) ?? startLookup(name);
    if (!signal) {
      lookup.waiting += 1;
      return lookup.result;
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        lookup.waiting -= 1;
        if (lookup.waiting === 0) {
          lookups.delete(name);
          lookup.resolution.cancel();
        }
        reject(signal.reason);
      };
      lookup.waiting += 1;
      signal.addEventListener("abort", leave, { once: true });
      lookup.result.then((result) => {
        signal.removeEventListener("abort", leave);
        resolve(result);
      }, reject);
    });
  }

  return {
    parseTarget: (url) => parseTarget(url, policy),
    parseHost: (host) => parseHost(host, policy),
    recall,
    async check(host, signal) {
      signal?.throwIfAborted();
      const known = recall(host);
      if (known) return known;
      if (host.isAddress) return judge(host.name, [host.name]);
      if (isLocalhost(host.name)) return judge(host.name, ["127.0.0.1", "::1"]);
      return join(host.name, signal);
    },
  };
}
