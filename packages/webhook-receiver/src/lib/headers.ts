import { WebhookError } from "./webhook-error.ts";

/** A `Headers`, or anything that looks one up by its lower-case name. */
export interface HeaderLookup {
  get(name: string): string | null | undefined;
}

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A `Headers`, a record with names in any case, or Node's `rawHeaders` list of names and values. */
export type WebhookHeaders = HeaderLookup | HeaderRecord | readonly string[];

export type HeaderReader = (name: string) => string;

/** Reads a header that must be there exactly once. */
export function headerReader(headers: WebhookHeaders): HeaderReader {
  if (isLookup(headers)) return (name) => headers.get(name) ?? missing(name);
  return (name) => {
    const exact = isList(headers) ? undefined : headers[name];
    return typeof exact === "string" ? exact : only(name, valuesOf(headers, name));
  };
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

function only(name: string, values: readonly string[]): string {
  const [value, ...more] = values;
  if (value === undefined) return missing(name);
  if (more.length === 0) return value;
  throw new WebhookError("duplicate_header", `The header ${name} is there ${values.length} times.`);
}

function missing(name: string): never {
  throw new WebhookError("missing_header", `The header ${name} is missing.`);
}
