import { isIP, isIPv6 } from "node:net";
import { type Policy, type RefusedAddress, refuseAddress } from "./policy.ts";

/** A host in its one canonical spelling: a lower-case ASCII name, or an address without brackets. */
export interface Host {
  kind: "host";
  name: string;
  isAddress: boolean;
}

/** The text cannot be a target, whatever it resolves to. `message` says what to change. */
export interface RefusedHost {
  kind: "refused_host";
  message: string;
}

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const maxNameLength = 253;

/**
 * Reads a host as a person or a URL spells it. All notations of an address (decimal, octal, hex, short
 * forms, percent-encoded, full-width digits) become the address that they mean, and are judged as such.
 */
export function parseHost(text: string, policy: Policy): Host | RefusedHost | RefusedAddress {
  const spelled = isIPv6(text) ? `[${text}]` : text;
  // A port, a path or credentials are no part of a host, and must not move what the URL parser reads.
  const isPlain = /^\[[^[\]]*\]$/.test(spelled) || !/[\s:/?#@\\]/.test(spelled);
  if (!isPlain || !URL.canParse(`https://${spelled}/`)) return notAHost(text);
  return canonicalHost(new URL(`https://${spelled}/`).hostname, policy);
}

/** Judges a host name that the URL parser has already brought into its canonical form. */
export function canonicalHost(hostname: string, policy: Policy): Host | RefusedHost | RefusedAddress {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  if (isIP(address)) {
    return refuseAddress(address, policy) ?? { kind: "host", name: address, isAddress: true };
  }
  if (hostname.endsWith(".")) {
    return { kind: "refused_host", message: `"${hostname}" ends with a dot: write the name without it.` };
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

const notAHost = (text: string): RefusedHost => ({
  kind: "refused_host",
  message: `"${text}" is not a host: write a name like hooks.example.com, or an IP address without a zone.`,
});
