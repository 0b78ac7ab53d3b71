import type { Deps } from "@querybell/core";
import {
  findSignOutUrl,
  finishSignIn,
  readRequestCookie,
  resetPassword,
  resolveSession,
  signInWithPasskey,
  signInWithPassword,
  startPasskeySignIn,
  toClient,
} from "@querybell/core/identity";
import { createRateLimiter, type RateLimiter } from "@querybell/core/limits";
import {
  AppError,
  ConfirmWithPasskey,
  type ErrorCode,
  FactorCode,
  inputMessages,
  ResetPassword,
  SignInWithPassword,
} from "@querybell/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { invalidInput, refuseMalformedInput } from "../trpc/input-checks.ts";
import { refuseCrossSite, toFetchHeaders } from "./authenticate.ts";

// Only the routes of better-auth that the sign-in pages use, and only these fields of their bodies: with
// other fields, better-auth would redirect people to an address that the request chooses.
const routes = [
  { method: "POST", path: "/sign-out", fields: [] },
  { method: "GET", path: "/get-session", fields: [] },
  { method: "POST", path: "/request-password-reset", fields: ["email"] },
] as const;

/** How many mails one address may ask for. */
const resetMailsPerMinute = 5;

/** Signing in and out, and setting a new password. */
export function addAuthRoutes(app: FastifyInstance, deps: Deps, limiter: RateLimiter): void {
  const { auth, deployment } = deps;
  const resetMails = createRateLimiter({
    deps,
    name: "mails to reset a password",
    perMinute: resetMailsPerMinute,
    onError: (error) => app.log.error(error),
  });
  app.addHook("onClose", () => resetMails.close());
  /** The body of a request by one of our pages. */
  function readBody<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.output<Schema> {
    refuseCrossSite(request, deployment);
    limiter.take(`from:${request.ip}`);
    refuseMalformedInput(request.body);
    const { data, error } = schema.safeParse(request.body, inputMessages);
    if (error) throw invalidInput(error);
    return data;
  }
  app.post("/api/auth/reset-password", async (request) => {
    await resetPassword(deps, readBody(request, ResetPassword));
    return { status: true };
  });
  app.post("/api/auth/sign-in/email", async (request, reply) => {
    const input = readBody(request, SignInWithPassword);
    const { cookies, status } = await signInWithPassword(deps, input, toClient(toFetchHeaders(request)));
    return reply.header("set-cookie", cookies).send({ status });
  });
  app.post("/api/auth/sign-in/second-factor", async (request, reply) => {
    const { code } = readBody(request, FactorCode);
    const headers = toFetchHeaders(request);
    const token = readRequestCookie(deps, headers);
    const { cookies, status } = await finishSignIn(deps, { token, code }, toClient(headers));
    return reply.header("set-cookie", cookies).send({ status });
  });
  app.post("/api/auth/sign-in/passkey/options", async (request, reply) => {
    readBody(request, z.object({}));
    const { cookies, options } = await startPasskeySignIn(deps);
    return reply.header("set-cookie", cookies).send({ options });
  });
  app.post("/api/auth/sign-in/passkey", async (request, reply) => {
    const { credential } = readBody(request, ConfirmWithPasskey);
    const headers = toFetchHeaders(request);
    const token = readRequestCookie(deps, headers);
    const { cookies } = await signInWithPasskey(deps, { token, credential }, toClient(headers));
    return reply.header("set-cookie", cookies).send({ status: "signed_in" });
  });
  for (const { method, path, fields } of routes) {
    app.route({
      method,
      url: `/api/auth${path}`,
      handler: async (request, reply) => {
        refuseCrossSite(request, deployment);
        refuseMalformedInput(request.body);
        if (path === "/request-password-reset") resetMails.take(`from:${request.ip}`);
        const given = new Map(Object.entries(request.body ?? {}));
        const known = Object.fromEntries(fields.map((field) => [field, given.get(field)]));
        const body = method === "POST" ? JSON.stringify(known) : undefined;
        const headers = toFetchHeaders(request);
        headers.delete("content-length");
        const signedIn = path === "/sign-out" ? await resolveSession(deps, headers) : undefined;
        const signOutUrl = signedIn && (await findSignOutUrl(deps, signedIn.person));
        const answer = await auth.handler(
          new Request(`${deployment.publicUrl}${request.url}`, { method, headers, ...(body && { body }) }),
        );
        if (answer.status >= 400 && answer.status < 500) throw await authToAppError(answer);
        reply.code(answer.status);
        for (const [name, value] of answer.headers) reply.header(name, value);
        // Where the browser signs out at the provider that the session came from.
        if (signOutUrl) return reply.send({ url: signOutUrl });
        return reply.send(await answer.text());
      },
    });
  }
}

// Messages for users, by the error codes of better-auth, whose own messages are for programmers.
const messages: Record<string, string> = { INVALID_EMAIL: "This is not an email address." };

const codes: Record<number, ErrorCode> = { 401: "unauthorized", 403: "forbidden", 404: "not_found" };

const defaultMessage = "This was refused. Go back to the start page and try again.";

/** Converts an error response of better-auth to an AppError. */
async function authToAppError(answer: Response): Promise<AppError> {
  if (answer.status === 429) return tooManyAttempts(answer);
  const { code, message } = await readAnswer(answer);
  return new AppError(
    codes[answer.status] ?? "invalid_request",
    messages[code ?? ""] ?? message ?? defaultMessage,
  );
}

function tooManyAttempts(answer: Response): AppError {
  const retryAfterSeconds = Number(answer.headers.get("x-retry-after")) || 60;
  return new AppError("rate_limited", `Too many tries. Wait ${retryAfterSeconds} s and try again.`, {
    retryAfterSeconds,
  });
}

async function readAnswer(answer: Response): Promise<{ code?: string; message?: string }> {
  const body: unknown = await answer.json().catch(() => ({}));
  return typeof body === "object" && body !== null ? body : {};
}
