import Negotiator from "negotiator";

/** Whether an Accept-Encoding header takes gzip: named, or by a star, and not with a weight of zero. */
export const acceptsGzip = (header: string | undefined): boolean =>
  new Negotiator({ headers: { "accept-encoding": header } }).encodings(["gzip"]).includes("gzip");

/** Whether an If-None-Match header names this entity tag, by the weak comparison of RFC 9110. */
export function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
