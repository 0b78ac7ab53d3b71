import Negotiator from "negotiator";

/** Whether an Accept-Encoding header accepts gzip, by name or by `*`, with a weight above zero. */
export const acceptsGzip = (header: string | undefined): boolean =>
  new Negotiator({ headers: { "accept-encoding": header } }).encodings(["gzip"]).includes("gzip");

/** Whether an If-None-Match header contains this ETag (weak comparison, RFC 9110). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
