import { WebhookError } from "./webhook-error.ts";

/** A `Headers`, or anything that looks one up by its lower-case name. */
export interface HeaderLookup {
  get(name: string): string | null | undefined;
}

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A `Headers`, a record with names in any case, or Node's `rawHeaders` list of names and values. */
export type WebhookHeaders = HeaderLookup | HeaderRecord | readonly string[];

/** Reads a header that must be there exactly once. */
export function readHeader(headers: WebhookHeaders, name: string): string {
  // Lower-case names are what Node and every Headers have, so the search is seldom needed.
  const exact = isLookup(headers) ? headers.get(name) : isList(headers) ? undefined : headers[name];
  if (typeof exact === "string") return exact;
  const values = isLookup(headers) ? [] : valuesOf(headers, name);
  const [value, another] = values;
  if (value !== undefined && another === undefined) return value;
  const fault = another === undefined ? "missing" : "duplicate";
  throw new WebhookError(`${fault}_header`, `The header ${name} is ${fault}.`);
}

const isLookup = (headers: WebhookHeaders): headers is HeaderLookup =>
  "get" in headers && typeof headers.get === "function";

const isList = (headers: WebhookHeaders): headers is readonly string[] => Array.isArray(headers);

function valuesOf(headers: HeaderRecord | readonly string[], name: string): string[] {
  const pairs = isList(headers)
    ? headers.map((value, index) => [index % 2 ? headers[index - 1] : "", value] as const)
    : Object.entries(headers);
  return pairs.flatMap(([key, value]) => (key?.toLowerCase() === name ? (value ?? []) : []));
}
