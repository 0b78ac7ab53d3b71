import type { Deps } from "@querybell/core";
import { resolveSession } from "@querybell/core/identity";
import type { KeyVerifier } from "@querybell/core/keys";
import { AppError, organizationHeader } from "@querybell/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../trpc/context.ts";
import { toFetchHeaders } from "./fetch-headers.ts";
import { refuseCrossSite } from "./refuse-cross-site.ts";

export interface AuthenticateOptions {
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
): Promise<Pick<Context, "person" | "caller">> {
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
