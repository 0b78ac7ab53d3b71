import { type Caller, newId, Role, Scope } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../deps.ts";
import { acceptInvitation, createInvitation } from "../invitations/index.ts";
import { createKey, createKeyVerifier } from "../keys/index.ts";
import { createPasswordResetLink } from "../members/index.ts";
import { createPasswordResetLinkAsOperator } from "../operator/index.ts";
import { appError } from "../testing/app-error.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { dbTest } from "../testing/db-test.ts";
import type { TestUser } from "../testing/factories.ts";
import { queuedMailsTo } from "../testing/queued-mails.ts";
import { signIn, wrongPassword } from "../testing/sign-in.ts";
import { changePassword, resetPassword } from "./index.ts";

const newPassword = "an entirely new password";
const tokenIn = (text: string) => /\/reset-password#([\w-]+)/.exec(text)?.[1] ?? "";
const setPassword = (deps: Deps, token: string, password = newPassword) =>
  resetPassword(deps, { token, newPassword: password });
const linkEnded = appError("invalid_request", /used already or has expired/);

const test = dbTest.extend("team", { scope: "file" }, async ({ make, deps }) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  const admin = await make.member(organizationId, "admin");
  const linkFor = async ({ userId }: Pick<TestUser, "userId">) =>
    tokenIn((await createPasswordResetLink(deps, owner, { userId })).url);
  const newMember = (role?: Role): Promise<Caller & TestUser> => make.member(organizationId, role);
  return { owner, admin, linkFor, newMember, organizationId };
});

describe("a link to set a password", () => {
  test("works once, ends every session, and the old password with them", async ({ team, deps }) => {
    const member = await team.newMember();
    const session = await signIn(deps, member.email);
    const token = await team.linkFor(member);
    await setPassword(deps, token);
    expect(await session.isActive()).toBe(false);
    await expect(signIn(deps, member.email)).rejects.toEqual(wrongPassword);
    await expect(signIn(deps, member.email, newPassword)).resolves.toBeDefined();
    await expect(setPassword(deps, token, "yet another password")).rejects.toEqual(linkEnded);
    await expect(signIn(deps, member.email, newPassword)).resolves.toBeDefined();
  });

  test("ends every other link when it is used, and so does a changed password", async ({ team, deps }) => {
    const member = await team.newMember();
    const [first, second] = [await team.linkFor(member), await team.linkFor(member)];
    await setPassword(deps, second);
    await expect(setPassword(deps, first, "yet another password")).rejects.toEqual(linkEnded);
    const third = await team.linkFor(member);
    const { person } = await signIn(deps, member.email, newPassword);
    await changePassword(deps, person, { currentPassword: newPassword, newPassword: "a third password" });
    await expect(setPassword(deps, third)).rejects.toEqual(linkEnded);
    await expect(signIn(deps, member.email, "a third password")).resolves.toBeDefined();
  });

  test("works once, also for two who try at the same moment", async ({ team, deps }) => {
    const token = await team.linkFor(await team.newMember());
    const tries = await Promise.allSettled([setPassword(deps, token), setPassword(deps, token)]);
    const refusals = tries.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refusals).toEqual([linkEnded]);
  });

  test("works for an hour", async ({ team, deps, clock }) => {
    const tokens = [await team.linkFor(await team.newMember()), await team.linkFor(await team.newMember())];
    const [early = "", late = ""] = tokens;
    await clock.advance(60 * 60_000 - 1);
    await setPassword(deps, early);
    await clock.advance(1);
    await expect(setPassword(deps, late)).rejects.toEqual(linkEnded);
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

  test("ends when its person joins another organization", async ({ make, team, deps }) => {
    const member = await team.newMember();
    const token = await team.linkFor(member);
    const elsewhere = await make.owner();
    const { link } = await createInvitation(deps, elsewhere, { email: member.email, role: "member" });
    await acceptInvitation(deps, member, { token: link.url.split("#")[1] ?? "" });
    await expect(setPassword(deps, token)).rejects.toEqual(linkEnded);
    await expect(signIn(deps, member.email)).resolves.toBeDefined();
  });
});

describe("making such a link", () => {
  test("is logged, without the link", async ({ team, deps }) => {
    const { userId } = await team.newMember();
    const logged = await auditDuring(deps, team.organizationId, () =>
      createPasswordResetLink(deps, team.admin, { userId }),
    );
    const actorUserId = team.admin.userId;
    const action = "member.password_reset_link_created";
    expect(logged).toEqual([{ action, actorUserId, targetId: userId, detail: {} }]);
  });

  test("for an owner is for owners", async ({ team, deps }) => {
    for (const role of Role.options) {
      const { userId } = await team.newMember(role);
      const byAdmin = createPasswordResetLink(deps, team.admin, { userId });
      if (role !== "owner") await expect(byAdmin).resolves.toBeDefined();
      else await expect(byAdmin).rejects.toEqual(appError("forbidden"));
      await expect(createPasswordResetLink(deps, team.owner, { userId })).resolves.toBeDefined();
      const shown = { value: userId, provesAddress: false };
      expect(await deps.db.prisma.verification.count({ where: shown })).toBe(role === "owner" ? 1 : 2);
    }
  });

  test("for somebody of several organizations is the operator's", async ({ make, team, deps, clock }) => {
    const { userId, email } = await team.newMember();
    const other = await make.organization();
    await deps.db.prisma.member.create({
      data: { organizationId: other.organizationId, userId, role: "member", createdAt: clock.now() },
    });
    const logged = await auditDuring(deps, team.organizationId, () =>
      expect(createPasswordResetLink(deps, team.owner, { userId })).rejects.toEqual(appError("forbidden")),
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
    await setPassword(deps, token);
    await expect(signIn(deps, email, newPassword)).resolves.toBeDefined();
  });

  test("for an address that nobody has is refused", async ({ deps, clock }) => {
    const email = `${newId(clock)}@example.test`;
    await expect(createPasswordResetLinkAsOperator(deps, { email })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("the address of the account", () => {
  const isProven = async (deps: Deps, { userId }: Pick<TestUser, "userId">) =>
    (await deps.db.prisma.user.findUniqueOrThrow({ where: { id: userId } })).emailVerified;
  const askForMail = async (deps: Deps, email: string) => {
    await deps.auth.api.requestPasswordReset({ body: { email } });
    return tokenIn((await queuedMailsTo(deps, email)).at(-1)?.text ?? "");
  };

  test("is proven by a password that was set with a mailed link", async ({ team, deps }) => {
    const member = await team.newMember();
    const where = { id: member.userId };
    await deps.db.prisma.user.update({ where, data: { emailVerified: false } });
    await setPassword(deps, await askForMail(deps, member.email));
    expect(await isProven(deps, member)).toBe(true);
    await deps.db.prisma.user.update({ where, data: { emailVerified: false } });
    await team.linkFor(member);
    const [mail] = (await queuedMailsTo(deps, member.email)).slice(-1);
    await setPassword(deps, tokenIn(mail?.text ?? ""));
    expect(await isProven(deps, member)).toBe(true);
  });

  test("is proven by the operator's link", async ({ team, deps }) => {
    const member = await team.newMember();
    await deps.db.prisma.user.update({ where: { id: member.userId }, data: { emailVerified: false } });
    const link = await createPasswordResetLinkAsOperator(deps, member);
    await setPassword(deps, tokenIn(link.url));
    expect(await isProven(deps, member)).toBe(true);
  });

  test("is no longer proven after a link that an admin was shown", async ({ team, deps }) => {
    const member = await team.newMember();
    expect(await isProven(deps, member)).toBe(true);
    await setPassword(deps, await team.linkFor(member));
    expect(await isProven(deps, member)).toBe(false);
  });

  test("that somebody else had registered takes nothing of theirs along", async ({ team, deps }) => {
    const member = await team.newMember();
    await deps.db.prisma.user.update({ where: { id: member.userId }, data: { emailVerified: false } });
    const session = await signIn(deps, member.email);
    const { key } = await createKey(deps, member, { name: "Test key", scopes: [...Scope.options] });
    const verifier = createKeyVerifier({ ...deps, onError: () => expect.unreachable() });
    expect(await verifier.verify(key)).toBeDefined();
    await setPassword(deps, await askForMail(deps, member.email));
    expect(await session.isActive()).toBe(false);
    expect(await verifier.verify(key)).toBeUndefined();
    await expect(signIn(deps, member.email)).rejects.toEqual(wrongPassword);
    await expect(signIn(deps, member.email, newPassword)).resolves.toBeDefined();
    await verifier.close();
  });
});
