import { parseAddress } from "./address.ts";
import { canonicalHost, type Host, isLocalhost, type RefusedHost } from "./host.ts";
import type { Policy, RefusedAddress } from "./policy.ts";
import { classifyAddress } from "./special-networks.ts";

/** A URL that may be posted to once its host's addresses are checked. */
export interface Target {
  kind: "target";
  /** In the spelling in which it is sent. */
  href: string;
  origin: string;
  secure: boolean;
  host: Host;
  port: number;
  /** Path and query, as the request line carries them. */
  path: string;
}

/** The URL is not one that we call. `message` says what to change. */
export interface RefusedUrl {
  kind: "refused_url";
  message: string;
}

const maxLength = 2048;
const port = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*?):[^/?#:\]]*(?=[/?#]|$)/i;

/**
 * Reads the URL of a customer's endpoint. The one parser for saving and for sending: both see the same
 * host, so there is no second reading to smuggle an address past.
 */
export function parseTarget(text: string, policy: Policy): Target | RefusedUrl | RefusedAddress {
  const spelling = refuseSpelling(text);
  if (spelling) return refusedUrl(spelling);
  const url = new URL(text);
  const secure = url.protocol === "https:";
  if (!secure && !(policy.allowLoopback && url.protocol === "http:")) {
    return refusedUrl("The URL must use https.");
  }
  if (url.username !== "" || url.password !== "") {
    return refusedUrl("The URL carries credentials: remove them, and send a custom header instead.");
  }
  if (url.port === "0") return refusedUrl("Port 0 cannot be connected to: name another port, or none.");

  const host = canonicalHost(url.hostname, policy);
  if (host.kind !== "host") return asUrlRefusal(host);
  if (!secure && !isLoopback(host)) {
    return refusedUrl("Plain http is for loopback targets in development: use https.");
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

// The URL parser repairs these silently; a person who wrote them meant something else, or means harm.
function refuseSpelling(text: string): string | undefined {
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
  return address !== undefined && classifyAddress(address)?.openable === "loopback";
}

const asUrlRefusal = (host: RefusedHost | RefusedAddress) =>
  host.kind === "refused_address" ? host : refusedUrl(host.message);

const refusedUrl = (message: string): RefusedUrl => ({ kind: "refused_url", message });
