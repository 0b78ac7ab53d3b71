import { testPassword } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { callProcedure, everyProcedure } from "../testing/every-procedure.ts";

const test = apiTest.extend("onError", { scope: "file" }, () => () => {});

describe("the log", () => {
  test("never holds a key, cookie, password, token or query string", async ({
    api,
    make,
    makeKey,
    deps,
    logLines,
  }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const cookie = await api.sessionCookie(owner.email);
    const client = api.withCookie(cookie);
    const made = await client.keys.create.mutate({ name: "Made", scopes: ["queries:read"] });
    const { link } = await client.invitations.create.mutate({ email: "x@example.test", role: "member" });
    const member = await make.member(owner.organizationId);
    const reset = await client.members.createPasswordResetLink.mutate({ userId: member.userId });
    const [invitationToken = "", resetToken = ""] = [link, reset].map(({ url }) => url.split("#")[1] ?? "");

    const exerciseAll = async () => {
      for (const headers of [{}, { authorization: `Bearer ${key}` }, { cookie, origin: api.origin }]) {
        for (const procedure of everyProcedure.filter(({ path }) => path !== "members.leave")) {
          const [{ input }] = procedure.samples;
          await callProcedure(api, procedure, { input, headers });
        }
      }
      const secrets = `token=${invitationToken}&key=${key}`;
      for (const path of [
        "/",
        "/healthz",
        "/api/key",
        "/api/trpc/me.get",
        "/api/auth/get-session",
        "/nothing",
      ]) {
        await api.fetch(`${path}?${secrets}`, { headers: { cookie } });
        await api.fetch(`${path}?${secrets}`, { headers: { authorization: `Bearer ${key}`, cookie } });
      }
      await api.post("/api/auth/sign-in/email", { email: owner.email, password: `${testPassword}!` });
      await api.post(`/api/auth/reset-password?token=${resetToken}`, { newPassword: "short" });
      await api.post("/api/trpc/invitations.find", { token: invitationToken });
      await api.post("/api/trpc/invitations.accept", { token: invitationToken, account: null });
    };
    await exerciseAll();
    await deps.db.pool.query("ALTER TABLE invitations RENAME TO mislaid");
    await deps.db.pool.query("ALTER TABLE verifications RENAME TO mislaid_too");
    await exerciseAll();

    const log = logLines.join("");
    expect(log).toMatch(/"level":50/);
    const [, session = ""] = decodeURIComponent(cookie).split("=");
    const secrets = {
      key: key.slice(16),
      madeKey: made.key.slice(16),
      session: session.split(".")[0],
      signature: session.split(".")[1],
      testPassword,
      invitationToken,
      resetToken,
    };
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret, name).toMatch(/.{16}/);
      expect(log.includes(secret ?? ""), name).toBe(false);
    }
    expect(log).not.toMatch(/\?(input|batch|token)=/);
  });

  test("names every request in one line, with an id, its path and how it ended", async ({
    api,
    logLines,
  }) => {
    const answer = await api.fetch("/api/trpc/me.get?input=%7B%7D");
    const id = answer.headers.get("x-request-id");
    await answer.text();
    const lines = logLines.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === id);
    const req = { id, method: "GET", path: "/api/trpc/me.get", address: "127.0.0.1" };
    expect(lines).toMatchObject([
      { app: "api", req, res: { status: 401 }, responseTime: expect.any(Number) },
    ]);
  });
});
