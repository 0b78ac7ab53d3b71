import fc from "fast-check";
import { hostileTexts } from "./hostile-values.ts";

/** What is wrong with the text of an input, beyond its value. */
const damages = [
  "truncated",
  "duplicate keys",
  "byte order mark",
  "invalid UTF-8",
  "deep nesting",
  "too large",
  "trailing comma",
  "single quotes",
  "empty",
  "bad percent",
] as const;
export type Damage = (typeof damages)[number] | "none";

/** How a call is written into a request. */
export interface Form {
  /** For tRPC: how often the call is repeated in one batch; 0 for a call without a batch. */
  batch: number;
  damage: Damage;
  /** Undefined: the right one. */
  method?: string | undefined;
  contentType?: string | undefined;
  headers: Record<string, string>;
}

export const plainForm: Form = { batch: 0, damage: "none", headers: {} };

// Node sends no header with other characters.
const headerText = fc.constantFrom(...hostileTexts.filter((text) => /^[\x20-\x7e]{0,2000}$/.test(text)));

const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  fc.constantFrom<Record<string, string>>(
    {},
    { "trpc-accept": "application/jsonl" },
    { accept: "text/event-stream" },
    { accept: "text/html" },
    { "accept-encoding": "gzip, br, *;q=0" },
    { "if-none-match": "*" },
    { range: "bytes=0-1" },
    { expect: "200-ok" },
    { "x-http-method-override": "DELETE" },
    { "x-forwarded-host": "name.invalid", "x-forwarded-proto": "https" },
    { "sec-fetch-site": "cross-site" },
    { origin: "null" },
    { "content-encoding": "gzip" },
    { connection: "close" },
    { traceparent: "00-0-0-00" },
  ),
  fc
    .tuple(
      fc.constantFrom(
        "authorization",
        "cookie",
        "x-forwarded-for",
        "accept",
        "if-none-match",
        "last-event-id",
      ),
      headerText,
    )
    .map(([name, text]) => ({ [name]: name === "authorization" ? `Bearer ${text}` : text })),
);

const contentTypes = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=latin1",
  "application/json; charset=utf-16",
  "application/octet-stream",
  "application/json, text/plain",
  "APPLICATION/JSON;;",
  "application/vnd.api+json",
  "x",
];

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];

const oddForm: fc.Arbitrary<Form> = fc.oneof(
  fc.constantFrom(1, 2, 5, 6, 30).map((batch) => ({ ...plainForm, batch })),
  fc
    .tuple(fc.constantFrom(...damages), fc.constantFrom(0, 0, 0, 1, 2))
    .map(([damage, batch]) => ({ ...plainForm, damage, batch })),
  fc.constantFrom(...contentTypes).map((contentType) => ({ ...plainForm, contentType })),
  fc.constantFrom(...methods).map((method) => ({ ...plainForm, method })),
  oddHeaders.map((headers) => ({ ...plainForm, headers })),
);

export const anyForm: fc.Arbitrary<Form> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(plainForm) },
  { weight: 1, arbitrary: oddForm },
);

/** The JSON text of an input, damaged. `maxBytes` keeps an address shorter than the longest that servers read. */
function damagedText(json: string, damage: Damage, maxBytes: number): string {
  switch (damage) {
    case "truncated":
      return json.slice(0, Math.max(1, Math.floor(json.length * 0.7)));
    case "duplicate keys":
      return json.startsWith("{") && json.length > 2 ? `{${json.slice(1, -1)},${json.slice(1)}` : json;
    case "byte order mark":
      return `\ufeff${json}`;
    case "deep nesting":
      return `${"[".repeat(Math.min(20_000, maxBytes / 3))}${"]".repeat(Math.min(20_000, maxBytes / 3))}`;
    case "too large":
      return json + " ".repeat(Math.min(1_200_000, maxBytes));
    case "trailing comma":
      return `${json.slice(0, -1)},${json.slice(-1)}`;
    case "single quotes":
      return json.replaceAll('"', "'");
    case "empty":
      return "";
    default:
      return json;
  }
}

const invalidUtf8 = Buffer.from([0xc3, 0x28, 0xff]);

export const bodyOf = (json: string, damage: Damage): Buffer => {
  const bytes = Buffer.from(damagedText(json, damage, Number.POSITIVE_INFINITY));
  return damage === "invalid UTF-8" ? Buffer.concat([bytes, invalidUtf8]) : bytes;
};

const maxInAddress = 9_000;

/** The same as a part of an address. */
export function inAddress(json: string, damage: Damage): string {
  const encoded = encodeURIComponent(damagedText(json, damage, maxInAddress).toWellFormed());
  if (damage === "invalid UTF-8") return `${encoded}%ff%c3%28`;
  return damage === "bad percent" ? `${encoded}%zz%` : encoded;
}
