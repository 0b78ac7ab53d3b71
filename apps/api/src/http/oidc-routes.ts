import type { Deps } from "@querybell/core";
import { readRequestCookie, requireConfirmed, resolveSession, toClient } from "@querybell/core/identity";
import type { RateLimiter } from "@querybell/core/limits";
import { finishSingleSignOn, startSingleSignOn } from "@querybell/core/single-sign-on";
import { AppError, inputMessages, StartSingleSignOn } from "@querybell/domain";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { invalidInput, refuseMalformedInput } from "../trpc/input-checks.ts";
import { refuseCrossSite, toFetchHeaders } from "./authenticate.ts";

/** Signing in through a provider of identities. The browser is sent there and comes back with a code. */
export function addOidcRoutes(app: FastifyInstance, deps: Deps, limiter: RateLimiter): void {
  // Whether the operator's provider can be used, and whether nothing else can.
  app.get("/api/auth/oidc", async () => {
    const { deployment } = deps.singleSignOn;
    return { name: deployment?.name ?? null, enforced: deployment?.enforced ?? false };
  });
  for (const links of [false, true]) {
    app.post(`/api/auth/oidc/${links ? "link" : "start"}`, async (request, reply) => {
      refuseCrossSite(request, deps.deployment);
      limiter.take(`from:${request.ip}`);
      refuseMalformedInput(request.body);
      const { data, error } = StartSingleSignOn.safeParse(request.body, inputMessages);
      if (error) throw invalidInput(error);
      const person = links ? (await resolveSession(deps, toFetchHeaders(request)))?.person : undefined;
      if (links && !person) throw new AppError("unauthorized", "Sign in first.");
      if (person) await requireConfirmed(deps, person);
      const { url, cookies } = await startSingleSignOn(deps, data, person);
      return reply.header("set-cookie", cookies).send({ url });
    });
  }
  app.get("/api/auth/oidc/:key/callback", async (request, reply) => {
    limiter.take(`from:${request.ip}`);
    const { key } = z
      .object({ key: z.union([z.uuid(), z.literal("deployment")]).catch("deployment") })
      .parse(request.params);
    const headers = toFetchHeaders(request);
    const token = readRequestCookie(deps, headers);
    const answer = await finishSingleSignOn(deps, { key, token, path: request.url }, toClient(headers));
    if (answer.kind !== "refused") return reply.header("set-cookie", answer.cookies).redirect(answer.to, 302);
    if (answer.cause) request.log.info({ err: answer.cause }, "single sign-on failed");
    return reply.redirect(`/sign-in?problem=${answer.problem}`, 302);
  });
}
