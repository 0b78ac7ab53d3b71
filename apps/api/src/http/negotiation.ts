/** Whether an Accept-Encoding header accepts gzip, by name or by `*`, with a weight above zero. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const weights = new Map(
    String(header ?? "")
      .toLowerCase()
      .split(",")
      .map((item) => {
        const [coding = "", ...parameters] = item.split(";").map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith("q="));
        return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
      }),
  );
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

/** Whether an If-None-Match header contains this ETag (weak comparison, RFC 9110). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
