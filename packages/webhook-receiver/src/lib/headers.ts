import { WebhookError } from "./webhook-error.ts";

/** A `Headers`, or any object that finds a header by its lower-case name. */
export interface HeaderLookup {
  get(name: string): string | null | undefined;
}

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A `Headers`, a record with names in any case, Node's `rawHeaders`, or pairs of a name and a value. */
export type WebhookHeaders =
  | HeaderLookup
  | HeaderRecord
  | readonly string[]
  | readonly (readonly [name: string, value: string])[];

/** Reads a header that must be there exactly once. */
export function readHeader(headers: WebhookHeaders, name: string): string {
  const found = lookUp(headers, name);
  // Node's `headersDistinct` and Lambda's `multiValueHeaders` hold every value in an array.
  const value: unknown = Array.isArray(found) && found.length < 2 ? found[0] : found;
  const isText = typeof value === "string";
  // A platform that joins repeated headers puts a comma between them. Only signatures may contain one.
  if (isText && (name.endsWith("signature") || !value.includes(","))) return value;
  const fault = isText || Array.isArray(value) ? "duplicate" : "missing";
  throw new WebhookError(`${fault}_header`, `The header ${name} is ${fault}.`);
}

export const hasHeader = (headers: WebhookHeaders, name: string): boolean => lookUp(headers, name) != null;

/** Reads a header that need not be there, and may be there several times. */
export function findHeader(headers: WebhookHeaders, name: string): string | undefined {
  const value = lookUp(headers, name.toLowerCase());
  if (typeof value === "string") return value;
  return value == null ? undefined : [value].flat(2).join(", ");
}

/** The header's value, or an array if there are several. */
function lookUp(headers: WebhookHeaders, name: string): unknown {
  if (isLookup(headers)) return headers.get(name);
  let found: unknown;
  if (isList(headers)) {
    const list = Array.isArray(headers[0]) ? headers.flat() : headers;
    for (let at = 0; at < list.length; at += 2)
      if (isNamed(list[at], name)) found = combine(found, list[at + 1]);
  } else {
    for (const key in headers) if (isNamed(key, name)) found = combine(found, headers[key]);
  }
  return found;
}

const combine = (before: unknown, value: unknown) => (before == null ? value : [before, value]);

// All names are compared every time, because a second one may be in another case. This must be cheap.
const isNamed = (key: unknown, name: string) =>
  key === name || (typeof key === "string" && key.length === name.length && key.toLowerCase() === name);

const isLookup = (headers: WebhookHeaders): headers is HeaderLookup =>
  typeof Object(headers).get === "function";

const isList = (
  headers: Exclude<WebhookHeaders, HeaderLookup>,
): headers is Exclude<WebhookHeaders, HeaderLookup | HeaderRecord> => Array.isArray(headers);
