import { Resolver } from "node:dns/promises";
import type { Refusal } from "./policy.ts";

export interface Resolution {
  result: Promise<{ kind: "resolved"; addresses: string[] } | Refusal>;
  cancel(): void;
}

export interface ResolveOptions {
  /** Name servers to ask, as `address` or `address:port`; the machine's own when absent. */
  servers?: readonly string[];
}

/**
 * Looks up the A and AAAA records of an absolute name; IPv4 addresses come first.
 *
 * Only DNS is asked. `/etc/hosts` and search domains name hosts inside the operator's network, which a customer's URL
 * must not reach; an operator configures a database there by its address. Each lookup has a resolver of its own, so it
 * can be cancelled alone, and it blocks no thread as `dns.lookup` would.
 */
export function resolveName(name: string, { servers }: ResolveOptions): Resolution {
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
