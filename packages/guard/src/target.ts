import { isIP, isIPv6 } from "node:net";
import { parseAddress } from "./network.ts";
import { type Policy, type Refusal, refuseAddress } from "./policy.ts";
import { classifyAddress } from "./special-networks.ts";

/** A parsed URL. It may be posted to once the addresses of its host are checked. */
export interface Target {
  kind: "target";
  /** In the spelling in which it is requested. */
  href: string;
  origin: string;
  secure: boolean;
  host: Host;
  port: number;
  /** Path and query, as the request line carries them. */
  path: string;
}

const maxLength = 2048;
/** A URL up to its host, and its port. */
const port = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*?):[^/?#:\]]*(?=[/?#]|$)/i;

/**
 * Parses the URL of a customer's endpoint. Saving and sending use this one parser, so both see the same host: with two
 * parsers, a URL could pass the check with one host and be requested from another.
 */
export function parseTarget(text: string, policy: Policy): Target | Refusal {
  const flaw = findFlaw(text);
  if (flaw) return refused(flaw);
  const url = new URL(text);
  const secure = url.protocol === "https:";
  if (!secure && !(policy.allowLoopback && url.protocol === "http:")) {
    return refused("The URL must use https.");
  }
  if (url.username !== "" || url.password !== "") {
    return refused("The URL carries credentials: remove them, and send a custom header instead.");
  }
  if (url.port === "0") return refused("Port 0 cannot be connected to: name another port, or none.");

  const host = canonicalHost(url.hostname, policy);
  if (host.kind !== "host") return host;
  if (!secure && !isLoopback(host)) {
    return refused("Plain http is for loopback targets in development: use https.");
  }
  return {
    kind: "target",
    href: url.origin + url.pathname + url.search,
    origin: url.origin,
    secure,
    host,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
  };
}

// The URL parser repairs these silently. Whoever wrote them meant another URL, or wants to deceive the check.
function findFlaw(text: string): string | undefined {
  if (text.length > maxLength) return `The URL is longer than ${maxLength} characters.`;
  if (/[\p{Cc}\s]/u.test(text)) return "The URL contains spaces or control characters: remove them.";
  if (text.includes("\\")) return "The URL contains a backslash: write slashes.";
  if (!URL.canParse(text) && URL.canParse(text.replace(port, "$1"))) {
    return "The port must be a number from 1 to 65535.";
  }
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(text) || !URL.canParse(text)) {
    return "This is not a URL: write it in full, like https://hooks.example.com/path.";
  }
  return undefined;
}

function isLoopback({ name, isAddress }: Host): boolean {
  if (!isAddress) return isLocalhost(name);
  const address = parseAddress(name);
  return address !== undefined && classifyAddress(address)?.exemption === "loopback";
}

const refused = (message: string): Refusal => ({ kind: "refused_url", message });

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
function canonicalHost(hostname: string, policy: Policy): Host | Refusal {
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
