import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { notFoundPage, type RenderedPage } from "./render-page.ts";

export const compress = promisify(gzip);
const decompress = promisify(gunzip);

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A page that is rendered and compressed. */
export interface StoredTab {
  etag: string;
  contentSecurityPolicy: string;
  /** Compressed with gzip. */
  body: Buffer;
}

export const nothingAllowed = "default-src 'none'; sandbox";

export const empty = Buffer.alloc(0);

export const etagOf = (text: string): string =>
  `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;

export const isSame = ({ headers }: IncomingMessage, etag: string): boolean =>
  (headers["if-none-match"] ?? "").split(",").some((one) => one.trim().replace(/^W\//, "") === etag);

export const toText = (status: number, text: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: {
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": nothingAllowed,
    "cache-control": "no-store",
    ...headers,
  },
  body: Buffer.from(text),
});

export const toPage = (status: number, { text, contentSecurityPolicy }: RenderedPage): Answer => ({
  status,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy,
    "cache-control": "no-store",
  },
  body: Buffer.from(text),
});

/** Lets a browser load it again after so many seconds. */
export const withRefresh = ({ status, headers, body }: Answer, seconds: number): Answer => ({
  status,
  headers: { ...headers, refresh: String(seconds) },
  body,
});

export const notFound = toPage(404, notFoundPage);

export function toStored(
  { etag, contentSecurityPolicy, body }: StoredTab,
  request: IncomingMessage,
): Promise<Answer> | Answer {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy,
    // A page behind a password must not be given to somebody else who uses the browser.
    "cache-control": "private, no-cache",
    vary: "accept-encoding, cookie",
    etag,
  };
  if (isSame(request, etag)) return { status: 304, headers, body: empty };
  return toCompressed({ status: 200, headers, body }, request);
}

/** The body is compressed with gzip. Nearly all clients take it as it is. */
export async function toCompressed(
  { status, headers, body }: Answer,
  request: IncomingMessage,
): Promise<Answer> {
  const accepted = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
    String(request.headers["accept-encoding"] ?? ""),
  );
  if (!accepted) return { status, headers, body: await decompress(body) };
  return { status, headers: { ...headers, "content-encoding": "gzip" }, body };
}
