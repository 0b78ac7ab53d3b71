import { openDeps } from "@querybell/core/open-deps";
import { testPassword } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest, startApi } from "../testing/api-test.ts";

describe("signing in", () => {
  apiTest("gives a cookie that scripts and other sites cannot use", async ({ api, make }) => {
    const { email } = await make.owner();
    const [cookie = ""] = (await api.signIn(email)).headers.getSetCookie();
    const attributes = cookie.toLowerCase().split("; ").slice(1);
    expect(attributes).toEqual(expect.arrayContaining(["httponly", "samesite=lax", "path=/"]));
    expect(attributes).not.toContain("secure");
  });

  apiTest(
    "gives a cookie for https alone where the product is reached by https",
    async ({ make, clock, settings }) => {
      const deps = openDeps({
        settings: { ...settings, PUBLIC_URL: "https://querybell.test" },
        clock,
        onError: () => expect.unreachable(),
      });
      const { email } = await make.owner();
      {
        await using api = await startApi({ deps });
        const answer = await api.signIn(email);
        const [cookie = ""] = answer.headers.getSetCookie();
        expect(cookie).toMatch(/^__Secure-querybell\./);
        expect(cookie.split("; ")).toContain("Secure");
        expect(answer.headers.get("strict-transport-security")).toMatch(/^max-age=\d{8}/);
      }
      await deps.db.close();
    },
  );

  apiTest("gives the same answer for a wrong password and an unknown address", async ({ api, make }) => {
    const { email } = await make.user();
    const wrong = await api.signIn(email, "not the password");
    const unknown = await api.signIn("nobody@example.test");
    expect([wrong.status, await wrong.json()]).toEqual([unknown.status, await unknown.json()]);
    expect(wrong.status).toBe(401);
    expect([...wrong.headers.getSetCookie(), ...unknown.headers.getSetCookie()]).toEqual([]);
  });

  apiTest("leads nowhere else, whatever address is sent along", async ({ api, make }) => {
    const { email } = await make.user();
    for (const callbackURL of ["/settings", "\u{18910}"]) {
      const body = { email, password: testPassword, callbackURL };
      const answer = await api.post("/api/auth/sign-in/email", body);
      expect([answer.status, answer.headers.get("location")]).toEqual([200, null]);
      expect(await answer.json()).toEqual({ status: "signed_in" });
    }
  });

  apiTest("takes an address in any case", async ({ api, make }) => {
    const { email } = await make.user();
    expect((await api.signIn(email.toUpperCase())).status).toBe(200);
  });

  apiTest("answers 429 with Retry-After after ten tries for one account", async ({ api, make }) => {
    const { email } = await make.user();
    for (let tries = 0; tries < 10; tries++) expect((await api.signIn(email, "wrong")).status).toBe(401);
    const limited = await api.signIn(email);
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await limited.json()).toMatchObject({ code: "rate_limited", status: 429 });
  });

  apiTest("remembers the address and the program of the last use", async ({ api, make }) => {
    const { email } = await make.owner();
    const cookie = await api.sessionCookie(email);
    const headers = { cookie, "user-agent": "curl/8", "x-forwarded-for": "198.51.100.7" };
    // A client cannot choose the address by the header that the API passes it on with.
    await api.fetch("/api/trpc/me.get", {
      headers: { ...headers, "x-querybell-client-address": "192.0.2.9" },
    });
    const sessions = await api.withCookie(cookie).sessions.list.query();
    expect(sessions.find(({ isCurrent }) => isCurrent)).toMatchObject({
      program: "curl",
      address: "198.51.100.7",
    });
  });

  apiTest("cannot create an account: people join by invitation", async ({ api, deps }) => {
    const email = "new@example.test";
    const body = { email, name: "New", password: testPassword };
    expect((await api.post("/api/auth/sign-up/email", body)).status).toBe(404);
    await expect(deps.auth.api.signUpEmail({ body })).rejects.toThrow();
    expect(await deps.db.prisma.user.count({ where: { email } })).toBe(0);
  });

  apiTest("is the only part of better-auth that is reachable", async ({ api, make, deps }) => {
    const cookie = await api.sessionCookie((await make.owner()).email);
    const served = new Set([
      "/sign-in/email",
      "/sign-out",
      "/get-session",
      "/request-password-reset",
      "/reset-password",
    ]);
    const endpoints = Object.values(deps.auth.api).flatMap(({ path }: { path?: string }) => path ?? []);
    expect(endpoints).toEqual(expect.arrayContaining(["/update-user", "/delete-user", "/list-sessions"]));
    for (const path of endpoints.filter((path) => !served.has(path))) {
      for (const method of ["GET", "POST"]) {
        const headers = { cookie, origin: api.origin, "content-type": "application/json" };
        const init = { method, headers, ...(method === "POST" && { body: "{}" }) };
        const answer = await api.fetch(`/api/auth${path.replaceAll(/:\w+/g, "x")}`, init);
        expect([method, path, answer.status]).toEqual([method, path, 404]);
      }
    }
  });
});

describe("a session", () => {
  apiTest("says who is signed in and where they belong", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    await expect(client.me.get.query()).resolves.toMatchObject({
      user: { id: owner.userId, email: owner.email },
      organizationId: owner.organizationId,
      memberships: [{ organizationId: owner.organizationId, role: "owner" }],
    });
  });

  apiTest("ends when its owner signs out", async ({ api, make }) => {
    const cookie = await api.sessionCookie((await make.owner()).email);
    const client = api.withCookie(cookie);
    await client.settings.get.query();
    expect((await api.post("/api/auth/sign-out", {}, { cookie })).status).toBe(200);
    await expect(client.settings.get.query()).rejects.toEqual(apiError("unauthorized"));
  });

  apiTest("with any character of its cookie changed is invalid", async ({ api, make }) => {
    const cookie = await api.sessionCookie((await make.owner()).email);
    const start = cookie.indexOf("=") + 1;
    for (let at = start; at < cookie.length; at += 9) {
      // The last base64 character of a signature carries two bits that decode to nothing: A to D would not differ.
      const other = /[A-D]/.test(cookie.charAt(at)) ? "x" : "A";
      const tampered = cookie.slice(0, at) + other + cookie.slice(at + 1);
      await expect(api.withCookie(tampered).me.get.query(), tampered).rejects.toEqual(
        apiError("unauthorized"),
      );
    }
  });

  apiTest("is renewed for a week by the first call after a day", async ({ api, make, deps }) => {
    const { userId, email } = await make.owner();
    const cookie = await api.sessionCookie(email);
    const renewedCookies = async () =>
      (await api.fetch("/api/trpc/me.get", { headers: { cookie } })).headers.getSetCookie();
    expect(await renewedCookies()).toEqual([]);
    // As if the session had begun a day ago. better-auth reads the real time, so the test moves the session instead.
    const [dayMs, weekMs] = [86_400_000, 7 * 86_400_000];
    const expiresAt = new Date(Date.now() + weekMs - dayMs - 1);
    await deps.db.prisma.session.updateMany({ where: { userId }, data: { expiresAt } });
    const [renewed = "", ...others] = await renewedCookies();
    expect(renewed.split("; ")).toEqual(
      expect.arrayContaining([cookie, `Max-Age=${weekMs / 1000}`, "HttpOnly", "SameSite=Lax"]),
    );
    expect(others).toEqual([]);
    const token = decodeURIComponent(cookie).split("=")[1]?.split(".")[0] ?? "";
    const stored = await deps.db.prisma.session.findUniqueOrThrow({ where: { token } });
    expect(stored.expiresAt.getTime() - expiresAt.getTime()).toBeGreaterThanOrEqual(dayMs);
    expect(await renewedCookies()).toEqual([]);
  });

  apiTest("that has expired is invalid", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    await deps.db.prisma.session.updateMany({
      where: { userId: owner.userId },
      data: { expiresAt: new Date(Date.now() - 1) },
    });
    await expect(client.me.get.query()).rejects.toEqual(apiError("unauthorized"));
  });

  apiTest("reflects a removal or a change of role at once", async ({ api, make }) => {
    const owner = await make.owner();
    const admin = await make.member(owner.organizationId, "admin");
    const [boss, client] = [await api.signedIn(owner), await api.signedIn(admin)];
    await client.keys.list.query();
    await boss.members.changeRole.mutate({ userId: admin.userId, role: "member" });
    await expect(client.keys.list.query()).rejects.toEqual(apiError("forbidden"));
    await client.members.list.query();
    await boss.members.remove.mutate({ userId: admin.userId });
    await expect(client.members.list.query()).rejects.toEqual(apiError("unauthorized"));
    await expect(client.me.get.query()).resolves.toMatchObject({ organizationId: null, memberships: [] });
  });

  apiTest("survives a changed password only where it was changed", async ({ api, make }) => {
    const { email } = await make.owner();
    const here = api.withCookie(await api.sessionCookie(email));
    const elsewhere = await api.sessionCookie(email);
    const newPassword = "another long password";
    const change = (currentPassword: string) =>
      here.me.changePassword.mutate({ currentPassword, newPassword });
    await expect(change("not the password")).rejects.toMatchObject({
      data: { reason: "invalid_request", errors: [{ path: "currentPassword" }] },
    });
    await expect(api.withCookie(elsewhere).me.get.query()).resolves.toBeDefined();
    await change(testPassword);
    await expect(here.me.get.query()).resolves.toBeDefined();
    await expect(api.withCookie(elsewhere).me.get.query()).rejects.toEqual(apiError("unauthorized"));
    expect((await api.signIn(email)).status).toBe(401);
    expect((await api.signIn(email, newPassword)).status).toBe(200);
  });
});
