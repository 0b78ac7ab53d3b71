import { AppError, type ErrorCode, errorCodes } from "@querybell/domain";
import { createTRPCClient, httpBatchLink, httpLink } from "@trpc/client";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { describe, expect, test } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { toAppErrorOrInternal, toTrpcError } from "./error-shape.ts";
import type { AppRouter } from "./router.ts";

const codes = Object.keys(errorCodes) as ErrorCode[];
const overOneMebibyte = "x".repeat(1024 * 1024 + 1);

describe("the error table", () => {
  test.for(codes)("gives %s the status that tRPC answers with", (code) => {
    const { status, trpc } = errorCodes[code];
    expect(getHTTPStatusCodeFromError(new TRPCError({ code: trpc }))).toBe(status);
  });

  test.for(codes)("brings %s through tRPC and back unchanged", (code) => {
    const errors = [{ path: "name", message: "must not be empty" }];
    const refusal = new AppError(code, "A sentence.", { errors, retryAfterSeconds: 7 });
    expect(toAppErrorOrInternal(toTrpcError(refusal))).toBe(refusal);
  });
});

describe("over REST", () => {
  apiTest("an error is problem+json that says what to do", async ({ api }) => {
    const answer = await api.fetch("/api/key");
    expect(answer.status).toBe(401);
    expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json\b/);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(await answer.json()).toEqual({
      type: "about:blank",
      title: "Unauthorized",
      status: 401,
      detail: "Send an API key in the header Authorization: Bearer <key>.",
      code: "unauthorized",
    });
  });

  const json = { "content-type": "application/json" };
  const wrong: [status: number, code: ErrorCode, path: string, init: RequestInit][] = [
    [400, "invalid_request", "/api/auth/sign-out", { method: "POST", headers: json, body: "{" }],
    [400, "invalid_request", "/api/auth/sign-out", { method: "POST", headers: json, body: "" }],
    [
      413,
      "payload_too_large",
      "/api/auth/sign-out",
      { method: "POST", headers: json, body: overOneMebibyte },
    ],
    [415, "unsupported_media_type", "/api/auth/sign-out", { method: "POST", body: new FormData() }],
    [404, "not_found", "/api/nothing", {}],
    [404, "not_found", "/api/trpc/a/b", {}],
    [404, "not_found", "/nothing", {}],
    [404, "not_found", "/api/key", { method: "DELETE" }],
    [401, "unauthorized", "/api/key", { headers: { authorization: "Basic cWI6cWI=" } }],
  ];
  for (const [status, code, path, init] of wrong) {
    const what = `${init.method ?? "GET"} ${path} with ${JSON.stringify(init.body ?? null).slice(0, 10)}`;
    apiTest(`${what} answers ${status} ${code}`, async ({ api }) => {
      const answer = await api.fetch(path, init);
      expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json\b/);
      expect([answer.status, await answer.json()]).toMatchObject([status, { status, code }]);
    });
  }
});

describe("over tRPC", () => {
  apiTest("an input that is not JSON is refused with a sentence", async ({ api }) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };
    for (const batch of ["", "?batch=1"]) {
      const answer = await api.fetch(`/api/trpc/invitations.find${batch}`, init);
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining('"The input is not valid JSON."'),
      ]);
    }
  });

  apiTest("the errors of an input are listed field by field", async ({ api, make }) => {
    const client = await api.signedIn(await make.owner());
    await expect(client.invitations.create.mutate({ email: "none", role: "member" })).rejects.toMatchObject({
      message: "email: must be an email address",
      data: {
        code: "BAD_REQUEST",
        httpStatus: 400,
        reason: "invalid_request",
        errors: [{ path: "email", message: "must be an email address" }],
        path: "invitations.create",
      },
    });
    const late = { name: "Late", scopes: ["queries:run" as const], expiresAt: "2000-01-01T00:00:00.000Z" };
    await expect(client.keys.create.mutate(late), "also when a use case finds it").rejects.toMatchObject({
      data: { reason: "invalid_request", errors: [{ path: "expiresAt", message: "must be in the future" }] },
    });
  });

  const json = { "content-type": "application/json" };
  const post = { method: "POST", headers: json };
  const latin1 = { "content-type": "application/json; charset=iso-8859-1" };
  const wrong: [status: number, code: ErrorCode, path: string, init: RequestInit][] = [
    [400, "invalid_request", "invitations.find", { ...post, body: "{" }],
    [400, "invalid_request", "invitations.find", { ...post, body: "" }],
    [400, "invalid_request", "invitations.find", { ...post, body: Buffer.from('{"token":"é"}', "latin1") }],
    [400, "invalid_request", "invitations.find", { ...post, headers: latin1, body: '{"token":"x"}' }],
    [400, "invalid_request", `${Array(6).fill("me.get")}?batch=1`, {}],
    [404, "not_found", "no.such", {}],
    [405, "method_not_allowed", "invitations.find", {}],
    [405, "method_not_allowed", "me.get", { method: "PUT", headers: json, body: "{}" }],
    [413, "payload_too_large", "invitations.find", { ...post, body: overOneMebibyte }],
    [415, "unsupported_media_type", "invitations.find", { method: "POST", body: "plain" }],
    [415, "unsupported_media_type", "invitations.find", { method: "POST", body: new URLSearchParams("a=b") }],
    [415, "unsupported_media_type", "invitations.find", { method: "POST", body: largeForm() }],
    [401, "unauthorized", "me.get", { headers: { authorization: "Bearer qb_wrong" } }],
  ];
  for (const [status, reason, path, init] of wrong) {
    const what = `${init.method ?? "GET"} ${path} with ${JSON.stringify(init.body ?? null).slice(0, 10)}`;
    apiTest(`${what} answers ${status} ${reason}`, async ({ api }) => {
      const answer = await api.fetch(`/api/trpc/${path}`, init);
      const { trpc } = errorCodes[reason];
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        status,
        expect.stringMatching(/^application\/json\b/),
      ]);
      const data = { httpStatus: status, reason, code: trpc };
      expect(await answer.json()).toMatchObject({ error: { message: expect.any(String), data } });
    });
  }

  apiTest("a client can read that its body is too large, in a batch or alone", async ({ api }) => {
    const url = `${api.url}/api/trpc`;
    for (const link of [httpLink({ url }), httpBatchLink({ url })]) {
      const { find } = createTRPCClient<AppRouter>({ links: [link] }).invitations;
      const tries = [find.mutate({ token: overOneMebibyte }), find.mutate({ token: "other" })] as const;
      const [first] = await Promise.allSettled(tries);
      expect(first).toMatchObject({ status: "rejected", reason: apiError("payload_too_large") });
    }
  });

  apiTest("a batch of more than five calls is refused", async ({ api }) => {
    const paths = Array.from({ length: 6 }, () => "me.get").join();
    const answer = await api.fetch(`/api/trpc/${paths}?batch=1`);
    expect(answer.status).toBe(400);
  });
});

function largeForm(): FormData {
  const form = new FormData();
  form.set("token", overOneMebibyte);
  return form;
}
