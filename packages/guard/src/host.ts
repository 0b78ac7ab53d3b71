import { isIP, isIPv6 } from "node:net";
import { type Policy, refuseAddress } from "./policy.ts";
import type { Refusal } from "./refusal.ts";

/** A host in its canonical spelling: a lower-case ASCII name, or an address without brackets. */
export interface Host {
  kind: "host";
  name: string;
  isAddress: boolean;
}

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const maxNameLength = 253;

/**
 * Parses a host as a person writes it. All notations of an address (decimal, octal, hex, short forms, percent-encoded,
 * full-width digits) become that address, and the policy is applied to it.
 */
export function parseHost(text: string, policy: Policy): Host | Refusal {
  const spelled = isIPv6(text) ? `[${text}]` : text;
  // A port, a path or credentials are not part of a host, and would change what the URL parser takes for the host.
  const isPlain = /^\[[^[\]]*\]$/.test(spelled) || !/[\s:/?#@\\]/.test(spelled);
  if (!isPlain || !URL.canParse(`https://${spelled}/`)) return notAHost(text);
  return canonicalHost(new URL(`https://${spelled}/`).hostname, policy);
}

/** Checks a host name that the URL parser has already made canonical. */
export function canonicalHost(hostname: string, policy: Policy): Host | Refusal {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  if (isIP(address)) {
    return refuseAddress(address, policy) ?? { kind: "host", name: address, isAddress: true };
  }
  if (hostname.endsWith(".")) {
    return { kind: "refused_url", message: `"${hostname}" ends with a dot: write the name without it.` };
  }
  if (hostname.length > maxNameLength || !hostname.split(".").every((part) => label.test(part))) {
    return notAHost(hostname);
  }
  if (isLocalhost(hostname)) {
    return refuseAddress("127.0.0.1", policy) ?? { kind: "host", name: hostname, isAddress: false };
  }
  return { kind: "host", name: hostname, isAddress: false };
}

/** RFC 6761: these names always mean this machine, whatever a name server says. */
export const isLocalhost = (name: string) => name === "localhost" || name.endsWith(".localhost");

const notAHost = (text: string): Refusal => ({
  kind: "refused_url",
  message: `"${text}" is not a host: write a name like hooks.example.com, or an IP address without a zone.`,
});
