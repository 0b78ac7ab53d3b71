import type { InputError } from "@querybell/domain";

const token = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i;
const value = /^(?! )[\x20-\x7e]{0,1000}(?<! )$/;
const maxHeaders = 20;

// Headers that we set, and headers that frame the message or concern the connection.
const reservedNames = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);
const reservedPrefixes = ["svc-webhook-", "webhook-", "proxy-"];

/** The flaws of an endpoint's custom headers; empty if they can be sent. */
export function checkCustomHeaders(headers: Readonly<Record<string, string>>): InputError[] {
  const names = Object.keys(headers);
  if (names.length > maxHeaders) {
    return [{ path: "headers", message: `must be at most ${maxHeaders} headers` }];
  }
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, text]) => {
    const message = findFlaw(name.toLowerCase(), text, seen);
    seen.add(name.toLowerCase());
    return message === undefined ? [] : [{ path: `headers.${name}`, message }];
  });
}

function findFlaw(name: string, text: string, seen: ReadonlySet<string>): string | undefined {
  if (!token.test(name)) return "must be a header name like X-Api-Key, with at most 100 characters";
  if (reservedNames.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))) {
    return "is set by the service and cannot be overridden";
  }
  if (seen.has(name)) return "is there twice: header names do not differ by case";
  if (!value.test(text)) return "must be at most 1000 printable ASCII characters, with no space at the ends";
  return undefined;
}
