import type { Deps } from "@querybell/core";
import { resetPassword } from "@querybell/core/identity";
import { inputMessages, ResetPassword } from "@querybell/domain";
import type { FastifyInstance } from "fastify";
import { invalidInput } from "../trpc/error-shape.ts";
import { refuseMalformedInput } from "../trpc/well-formed.ts";
import { authToAppError } from "./auth-error.ts";
import { toFetchHeaders } from "./fetch-headers.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { refuseCrossSite } from "./refuse-cross-site.ts";

// Only the routes of better-auth that the sign-in pages use, and of their bodies only the fields: better-auth would also
// send people to an address of the request's choice.
const routes = [
  { method: "POST", path: "/sign-in/email", fields: ["email", "password", "rememberMe"] },
  { method: "POST", path: "/sign-out", fields: [] },
  { method: "GET", path: "/get-session", fields: [] },
  { method: "POST", path: "/request-password-reset", fields: ["email"] },
] as const;

/** Signing in and out, over better-auth's own handler, and setting a new password. */
export function addAuthRoutes(app: FastifyInstance, deps: Deps, limiter: RateLimiter): void {
  const { auth, deployment } = deps;
  app.post("/api/auth/reset-password", async (request) => {
    refuseCrossSite(request, deployment);
    limiter.take(`from:${request.ip}`);
    refuseMalformedInput(request.body);
    const { data, error } = ResetPassword.safeParse(request.body, inputMessages);
    if (error) throw invalidInput(error);
    await resetPassword(deps, data);
    return { status: true };
  });
  for (const { method, path, fields } of routes) {
    app.route({
      method,
      url: `/api/auth${path}`,
      handler: async (request, reply) => {
        refuseCrossSite(request, deployment);
        refuseMalformedInput(request.body);
        const given = new Map(Object.entries(request.body ?? {}));
        const known = Object.fromEntries(fields.map((field) => [field, given.get(field)]));
        const body = method === "POST" ? JSON.stringify(known) : undefined;
        const headers = toFetchHeaders(request);
        headers.delete("content-length");
        const answer = await auth.handler(
          new Request(`${deployment.publicUrl}${request.url}`, { method, headers, ...(body && { body }) }),
        );
        if (answer.status >= 400 && answer.status < 500) throw await authToAppError(answer);
        reply.code(answer.status);
        for (const [name, value] of answer.headers) reply.header(name, value);
        return reply.send(await answer.text());
      },
    });
  }
}
