import type { Deployment, Deps } from "@querybell/core";
import { clientAddressHeader, resolveSession } from "@querybell/core/identity";
import type { KeyVerifier } from "@querybell/core/keys";
import { AppError, organizationHeader } from "@querybell/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../trpc/context.ts";

interface AuthenticateOptions {
  deps: Deps;
  keys: KeyVerifier;
}

const bearer = /^Bearer +(\S+)$/i;

/** The key in the Authorization header: undefined without the header, empty if it is not a bearer token. */
export function presentedKey({ headers: { authorization } }: FastifyRequest): string | undefined {
  return authorization === undefined ? undefined : (bearer.exec(authorization)?.[1] ?? "");
}

/** The organization that a request names. */
export function namedOrganization({ headers }: FastifyRequest): string | undefined {
  const named = headers[organizationHeader];
  return Array.isArray(named) ? named[0] : named;
}

/** Sets cookies in the reply, if there is one whose headers are not sent yet. */
export const cookieSetter = (reply: FastifyReply | undefined) =>
  reply && ((cookies: string[]) => void reply.header("set-cookie", cookies));

/** Authenticates a request: by API key if it has an Authorization header, otherwise by session cookie. */
export async function authenticate(
  { deps, keys }: AuthenticateOptions,
  request: FastifyRequest,
  reply?: FastifyReply,
): Promise<Pick<Context, "person" | "caller" | "blocked">> {
  const token = presentedKey(request);
  if (token !== undefined) {
    const caller = await keys.verify(token);
    if (!caller) throw new AppError("unauthorized", "This API key is unknown, revoked or expired.");
    return { caller };
  }
  if (request.headers.cookie === undefined) return {};
  const signedIn = await resolveSession(deps, toFetchHeaders(request), cookieSetter(reply));
  if (!signedIn) return {};
  refuseCrossSite(request, deps.deployment);
  return signedIn;
}

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

/** For programs with a key, which send no `Origin`: a page of another site must not use one that it got hold of. */
export function refuseForeignOrigin(
  { headers: { origin } }: FastifyRequest,
  { publicUrl }: Pick<Deployment, "publicUrl">,
): void {
  if (origin === undefined || origin === new URL(publicUrl).origin) return;
  throw new AppError("cross_site_request", `Pages of other sites than ${publicUrl} cannot do this.`);
}

/** A request's headers for better-auth. The client's address is the one that we determined, not a header it sent. */
export function toFetchHeaders({ headers, ip }: FastifyRequest): Headers {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) copy.append(name, one);
  }
  copy.set(clientAddressHeader, ip);
  return copy;
}
