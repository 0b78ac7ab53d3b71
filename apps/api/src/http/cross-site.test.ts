import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { callProcedure, everyProcedure } from "../testing/every-procedure.ts";

const test = apiTest.extend("cookie", { scope: "file" }, async ({ api, make }) =>
  api.sessionCookie((await make.owner()).email),
);

const foreign: Record<string, Record<string, string>> = {
  "another origin": { origin: "https://evil.test" },
  "another port of the same host": { origin: "http://localhost:4001" },
  "an opaque origin": { origin: "null" },
  "a fetch from another site": { "sec-fetch-site": "cross-site" },
  "a fetch from a sister site": { "sec-fetch-site": "same-site" },
  "our origin but another site": { origin: "http://localhost:4000", "sec-fetch-site": "cross-site" },
};

describe("a session used from", () => {
  for (const [where, from] of Object.entries(foreign)) {
    test(`${where} is refused by every procedure and does nothing`, async ({ api, cookie, deps }) => {
      const audited = await deps.db.prisma.auditEntry.count();
      for (const procedure of everyProcedure) {
        const [{ input }] = procedure.samples;
        const answer = await callProcedure(api, procedure, { input, headers: { cookie, ...from } });
        expect([procedure.path, answer.status, answer.reason]).toEqual([
          procedure.path,
          403,
          "cross_site_request",
        ]);
      }
      expect(await deps.db.prisma.auditEntry.count()).toBe(audited);
    });

    test(`${where} cannot sign in or out, or see the session`, async ({ api, cookie, make }) => {
      const { email } = await make.user();
      const headers = { cookie, ...from, "content-type": "application/json" };
      const body = JSON.stringify({ email, password: "whatever it is" });
      for (const [path, init] of Object.entries({
        "sign-in/email": { method: "POST", headers, body },
        "sign-out": { method: "POST", headers, body: "{}" },
        "get-session": { headers },
      })) {
        const answer = await api.fetch(`/api/auth/${path}`, init);
        expect(answer.status, path).toBe(403);
        expect(await answer.json()).toMatchObject({ code: "cross_site_request", status: 403 });
      }
      await expect(api.withCookie(cookie).me.get.query()).resolves.toBeDefined();
    });
  }

  test("an unknown origin is refused for writes, and allowed for reads", async ({ api, cookie }) => {
    for (const procedure of everyProcedure.filter(({ access }) => access !== "key")) {
      const [{ input }] = procedure.samples;
      const { reason } = await callProcedure(api, procedure, { input, headers: { cookie } });
      // A read may still answer not_found: the ids of the sample do not exist.
      const isRefused = reason === "cross_site_request";
      expect([procedure.path, isRefused]).toEqual([procedure.path, procedure.type === "mutation"]);
    }
  });

  test("our own pages is allowed", async ({ api, cookie }) => {
    for (const from of [{ origin: api.origin }, { "sec-fetch-site": "same-origin" }]) {
      const headers = { cookie, ...from, "content-type": "application/json" };
      const body = JSON.stringify({ resultLifetimeSeconds: 3600 });
      const answer = await api.fetch("/api/trpc/settings.update", { method: "POST", headers, body });
      expect(answer.status).toBe(200);
    }
  });
});

test("a form on another site cannot write with a session", async ({ api, cookie }) => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    const headers = { cookie, origin: "https://evil.test", "content-type": type };
    const answer = await api.fetch("/api/trpc/me.createOrganization", {
      method: "POST",
      headers,
      body: "{}",
    });
    expect(answer.status, type).toBeGreaterThanOrEqual(400);
  }
  const { memberships } = await api.withCookie(cookie).me.get.query();
  expect(memberships).toHaveLength(1);
});

test("a key works from anywhere, since no browser sends it by itself", async ({ api, make, makeKey }) => {
  const { key } = await makeKey(await make.owner());
  const headers = { authorization: `Bearer ${key}`, origin: "https://evil.test" };
  expect((await api.fetch("/api/key", { headers })).status).toBe(200);
});
