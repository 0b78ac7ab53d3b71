import type { Deployment } from "@querybell/core";
import { AppError } from "@querybell/domain";
import type { FastifyRequest } from "fastify";

/**
 * A session works only from our own pages. Browsers say where a request comes from in `Origin` and
 * `Sec-Fetch-Site`, which pages cannot forge; a write must carry one of them, and neither may name another site.
 */
export function refuseCrossSite(
  { method, headers }: FastifyRequest,
  { publicUrl }: Pick<Deployment, "publicUrl">,
): void {
  const origin = headers.origin;
  const site = headers["sec-fetch-site"];
  const reads = method === "GET" || method === "HEAD";
  const foreignOrigin = origin !== undefined && origin !== new URL(publicUrl).origin;
  const foreignSite = site !== undefined && site !== "same-origin" && site !== "none";
  const silentWrite = !reads && origin === undefined && site === undefined;
  if (foreignOrigin || foreignSite || silentWrite) {
    throw new AppError(
      "cross_site_request",
      `Signing in, and all that needs it, works only at ${publicUrl}. Open Querybell there; a program sends that in the header Origin, or uses an API key.`,
    );
  }
}
