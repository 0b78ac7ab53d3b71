import { parseAddress } from "./address.ts";
import { canonicalHost, type Host, isLocalhost } from "./host.ts";
import type { Policy } from "./policy.ts";
import type { Refusal } from "./refusal.ts";
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
