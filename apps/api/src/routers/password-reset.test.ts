import type { Deps } from "@querybell/core";
import { createPasswordResetLinkAsOperator } from "@querybell/core/operator";
import { type Caller, newId, Role } from "@querybell/domain";
import type { TestUser } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { type Api, apiTest } from "../testing/api-test.ts";
import { auditDuring } from "@querybell/core/testing";
import { queuedMailsTo } from "@querybell/core/testing";

const newPassword = "an entirely new password";
const tokenIn = (text: string) => /\/reset-password#([\w-]+)/.exec(text)?.[1] ?? "";
const setPassword = (api: Api, token: string, password = newPassword) =>
  api.post("/api/auth/reset-password", { token, newPassword: password });

const test = apiTest.extend("team", { scope: "file" }, async ({ api, make }) => {
  const owner = await make.owner();
  const admin = await make.member(owner.organizationId, "admin");
  const clients = { owner: await api.signedIn(owner), admin: await api.signedIn(admin) };
  const linkFor = async ({ userId }: Pick<TestUser, "userId">) =>
    tokenIn((await clients.owner.members.createPasswordResetLink.mutate({ userId })).url);
  const newMember = (role?: Role): Promise<Caller & TestUser> => make.member(owner.organizationId, role);
  return { owner, admin, clients, linkFor, newMember, organizationId: owner.organizationId };
});

describe("a link to set a password", () => {
  test("works once, ends every session, and the old password with them", async ({ api, team }) => {
    const member = await team.newMember();
    const cookie = await api.sessionCookie(member.email);
    const token = await team.linkFor(member);
    expect((await setPassword(api, token)).status).toBe(200);
    await expect(api.withCookie(cookie).me.get.query()).rejects.toEqual(apiError("unauthorized"));
    expect((await api.signIn(member.email)).status).toBe(401);
    expect((await api.signIn(member.email, newPassword)).status).toBe(200);
    expect((await setPassword(api, token, "yet another password")).status).toBe(400);
    expect((await api.signIn(member.email, newPassword)).status).toBe(200);
  });

  test("ends every other link when it is used, and so does a changed password", async ({ api, team }) => {
    const member = await team.newMember();
    const [first, second] = [await team.linkFor(member), await team.linkFor(member)];
    expect((await setPassword(api, second)).status).toBe(200);
    expect((await setPassword(api, first, "yet another password")).status).toBe(400);
    const third = await team.linkFor(member);
    const signedIn = api.withCookie(await api.sessionCookie(member.email, newPassword));
    await signedIn.me.changePassword.mutate({
      currentPassword: newPassword,
      newPassword: "a third password",
    });
    expect((await setPassword(api, third)).status).toBe(400);
    expect((await api.signIn(member.email, "a third password")).status).toBe(200);
  });

  test("works once, also for two who try at the same moment", async ({ api, team }) => {
    const token = await team.linkFor(await team.newMember());
    const tries = await Promise.all([setPassword(api, token), setPassword(api, token)]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  test("is not used up by a password that is too short", async ({ api, team }) => {
    const token = await team.linkFor(await team.newMember());
    expect((await setPassword(api, token, "short")).status).toBe(400);
    expect((await setPassword(api, token)).status).toBe(200);
  });

  test("works for an hour", async ({ api, team, clock }) => {
    const tokens = [await team.linkFor(await team.newMember()), await team.linkFor(await team.newMember())];
    const [early = "", late = ""] = tokens;
    await clock.advance(60 * 60_000 - 1);
    expect((await setPassword(api, early)).status).toBe(200);
    await clock.advance(1);
    expect((await setPassword(api, late)).status).toBe(400);
  });

  test("is stored as a hash, and another one is mailed sealed", async ({ team, deps }) => {
    const member = await team.newMember();
    const token = await team.linkFor(member);
    const [mail] = await queuedMailsTo(deps, member.email);
    const mailed = tokenIn(mail?.text ?? "");
    expect(mailed).toMatch(/^[\w-]{43}$/);
    expect(mailed).not.toBe(token);
    const stored = await deps.db.prisma.verification.findMany({ where: { value: member.userId } });
    expect(stored.map(({ provesAddress }) => provesAddress).toSorted()).toEqual([false, true]);
    for (const one of [token, mailed]) expect(JSON.stringify(stored)).not.toContain(one);
  });

  test("ends when its person joins another organization", async ({ api, make, team }) => {
    const member = await team.newMember();
    const token = await team.linkFor(member);
    const elsewhere = await api.signedIn(await make.owner());
    const { link } = await elsewhere.invitations.create.mutate({ email: member.email, role: "member" });
    const invitation = { token: link.url.split("#")[1] ?? "" };
    await (await api.signedIn(member)).invitations.accept.mutate(invitation);
    expect((await setPassword(api, token)).status).toBe(400);
    expect((await api.signIn(member.email)).status).toBe(200);
  });
});

describe("making such a link", () => {
  test("is logged, without the link", async ({ team, deps }) => {
    const { userId } = await team.newMember();
    const logged = await auditDuring(deps, team.organizationId, () =>
      team.clients.admin.members.createPasswordResetLink.mutate({ userId }),
    );
    const actorUserId = team.admin.userId;
    const action = "member.password_reset_link_created";
    expect(logged).toEqual([{ action, actorUserId, targetId: userId, detail: {} }]);
  });

  test("for an owner is for owners", async ({ team, deps }) => {
    for (const role of Role.options) {
      const { userId } = await team.newMember(role);
      const make = () => team.clients.admin.members.createPasswordResetLink.mutate({ userId });
      if (role !== "owner") await expect(make()).resolves.toBeDefined();
      else await expect(make()).rejects.toEqual(apiError("forbidden"));
      await expect(
        team.clients.owner.members.createPasswordResetLink.mutate({ userId }),
      ).resolves.toBeDefined();
      const shown = { value: userId, provesAddress: false };
      expect(await deps.db.prisma.verification.count({ where: shown })).toBe(role === "owner" ? 1 : 2);
    }
  });

  test("for somebody of several organizations is the operator's", async ({
    api,
    make,
    team,
    deps,
    clock,
  }) => {
    const { userId, email } = await team.newMember();
    const other = await make.organization();
    await deps.db.prisma.member.create({
      data: { organizationId: other.organizationId, userId, role: "member", createdAt: clock.now() },
    });
    const { createPasswordResetLink } = team.clients.owner.members;
    const logged = await auditDuring(deps, team.organizationId, () =>
      expect(createPasswordResetLink.mutate({ userId })).rejects.toEqual(apiError("forbidden")),
    );
    expect(logged).toEqual([]);
    expect(await deps.db.prisma.verification.count({ where: { value: userId } })).toBe(0);
    const entry = {
      action: "member.password_reset_link_created",
      actorUserId: null,
      targetId: userId,
      detail: {},
    };
    let token = "";
    const inBoth = await auditDuring(deps, team.organizationId, async () => {
      const inOther = await auditDuring(deps, other.organizationId, async () => {
        const link = await createPasswordResetLinkAsOperator(deps, { email: email.toUpperCase() });
        token = tokenIn(link.url);
      });
      expect(inOther).toEqual([entry]);
    });
    expect(inBoth).toEqual([entry]);
    expect((await setPassword(api, token)).status).toBe(200);
  });

  test("for an address that nobody has is refused", async ({ deps, clock }) => {
    const email = `${newId(clock)}@example.test`;
    await expect(createPasswordResetLinkAsOperator(deps, { email })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("asking for a mail", () => {
  test("sends a link that works, and answers the same for an unknown address", async ({
    api,
    team,
    deps,
  }) => {
    const { email } = await team.newMember();
    const ask = (address: string) => api.post("/api/auth/request-password-reset", { email: address });
    const [known, unknown] = [await ask(email.toUpperCase()), await ask("nobody@example.test")];
    expect([known.status, await known.text()]).toEqual([unknown.status, await unknown.text()]);
    const [mail] = await queuedMailsTo(deps, email);
    expect((await setPassword(api, tokenIn(mail?.text ?? ""))).status).toBe(200);
    expect(await queuedMailsTo(deps, "nobody@example.test")).toEqual([]);
  });
});

describe("the address of the account", () => {
  const isProven = async (deps: Deps, { userId }: Pick<TestUser, "userId">) =>
    (await deps.db.prisma.user.findUniqueOrThrow({ where: { id: userId } })).emailVerified;
  const askForMail = async (api: Api, deps: Deps, email: string) => {
    await api.post("/api/auth/request-password-reset", { email });
    return tokenIn((await queuedMailsTo(deps, email)).at(-1)?.text ?? "");
  };

  test("is proven by a password that was set with a mailed link", async ({ api, team, deps }) => {
    const member = await team.newMember();
    const where = { id: member.userId };
    await deps.db.prisma.user.update({ where, data: { emailVerified: false } });
    await setPassword(api, await askForMail(api, deps, member.email));
    expect(await isProven(deps, member)).toBe(true);
    await deps.db.prisma.user.update({ where, data: { emailVerified: false } });
    await team.linkFor(member);
    const [mail] = (await queuedMailsTo(deps, member.email)).slice(-1);
    await setPassword(api, tokenIn(mail?.text ?? ""));
    expect(await isProven(deps, member)).toBe(true);
  });

  test("is proven by the operator's link", async ({ api, team, deps }) => {
    const member = await team.newMember();
    await deps.db.prisma.user.update({ where: { id: member.userId }, data: { emailVerified: false } });
    const link = await createPasswordResetLinkAsOperator(deps, member);
    await setPassword(api, tokenIn(link.url));
    expect(await isProven(deps, member)).toBe(true);
  });

  test("is no longer proven after a link that an admin was shown", async ({ api, team, deps }) => {
    const member = await team.newMember();
    expect(await isProven(deps, member)).toBe(true);
    await setPassword(api, await team.linkFor(member));
    expect(await isProven(deps, member)).toBe(false);
  });

  test("that somebody else had registered takes nothing of theirs along", async ({
    api,
    team,
    deps,
    makeKey,
  }) => {
    const member = await team.newMember();
    await deps.db.prisma.user.update({ where: { id: member.userId }, data: { emailVerified: false } });
    const cookie = await api.sessionCookie(member.email);
    const { key } = await makeKey(member);
    await api.withKey(key).queries.list.query({});
    await setPassword(api, await askForMail(api, deps, member.email));
    await expect(api.withCookie(cookie).me.get.query()).rejects.toEqual(apiError("unauthorized"));
    await expect(api.withKey(key).queries.list.query({})).rejects.toEqual(apiError("unauthorized"));
    expect((await api.signIn(member.email)).status).toBe(401);
    expect((await api.signIn(member.email, newPassword)).status).toBe(200);
  });
});
