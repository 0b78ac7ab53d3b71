import { type Deps, type KeyVerifier, resolveSession } from "@querybell/core";
import { AppError } from "@querybell/domain";
import type { FastifyRequest } from "fastify";
import type { Context } from "../trpc/context.ts";
import { toFetchHeaders } from "./fetch-headers.ts";
import { refuseCrossSite } from "./refuse-cross-site.ts";

export interface AuthenticateOptions {
  deps: Deps;
  keys: KeyVerifier;
}

const bearer = /^Bearer +(\S+)$/i;

/** Who sends a request: a key if there is an Authorization header, otherwise a session if there is a cookie. */
export async function authenticate(
  { deps, keys }: AuthenticateOptions,
  request: FastifyRequest,
): Promise<Pick<Context, "person" | "caller">> {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined) {
    const [, token = ""] = bearer.exec(authorization) ?? [];
    const caller = await keys.verify(token);
    if (!caller) throw new AppError("unauthorized", "This API key is unknown, revoked or expired.");
    return { caller };
  }
  if (cookie === undefined) return {};
  const signedIn = await resolveSession(deps, toFetchHeaders(request));
  if (!signedIn) return {};
  refuseCrossSite(request, deps.deployment);
  return signedIn;
}
