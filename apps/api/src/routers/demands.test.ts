import { randomUUID } from "node:crypto";
import { deleteDueOrganizations } from "@querybell/core/erasure";
import { addDomain } from "@querybell/core/single-sign-on";
import { nextTotpCode, startOidcProvider, testPassword } from "@querybell/core/testing";
import { organizationDeletionDays } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const dayMs = 86_400_000;

const test = apiTest.extend("passwordHashes", { scope: "file" }, () => "fast" as const);

/** The cookies of an answer, as a browser sends them back. */
const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

describe("an organization", () => {
  test("that demands a second factor of admins opens for them only with one", async ({
    api,
    make,
    makeKey,
    clock,
  }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    const [admin, member] = [await make.member(organizationId, "admin"), await make.member(organizationId)];
    const { key } = await makeKey(admin);
    const [boss, other, worker] = [
      await api.signedIn(owner),
      await api.signedIn(admin),
      await api.signedIn(member),
    ];
    await boss.settings.update.mutate({ secondFactorFor: "admins" });
    const asked = apiError("second_factor_required");
    for (const blocked of [boss, other]) await expect(blocked.members.list.query()).rejects.toEqual(asked);
    await expect((await api.signedIn(admin)).queries.list.query({})).rejects.toEqual(asked);
    await worker.queries.list.query({});
    await api.withKey(key).queries.list.query({});

    const { secret } = await boss.secondFactor.startTotp.mutate({ currentPassword: testPassword });
    await boss.secondFactor.finishTotp.mutate({ code: nextTotpCode(secret, clock) });
    expect(await boss.members.list.query()).toHaveLength(3);
    // Whoever becomes an admin needs one from then on, and no longer than that.
    await boss.members.changeRole.mutate({ userId: member.userId, role: "admin" });
    await expect(worker.queries.list.query({})).rejects.toEqual(asked);
    await boss.members.changeRole.mutate({ userId: member.userId, role: "member" });
    await worker.queries.list.query({});
  });

  test("resets the second factor of a member three days after an admin has asked", async ({
    api,
    make,
    clock,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const session = await api.signedIn(member);
    const { secret } = await session.secondFactor.startTotp.mutate({ currentPassword: testPassword });
    await session.secondFactor.finishTotp.mutate({ code: nextTotpCode(secret, clock) });
    const boss = await api.signedIn(owner);
    await boss.members.requestFactorReset.mutate({ userId: member.userId });
    expect((await session.me.get.query()).factorResetAt).not.toBeNull();
    const passwordOpens = async () => {
      const cookie = cookiesOf(await api.signIn(member.email));
      return api.withCookie(cookie).me.get.query();
    };
    await clock.advance(3 * dayMs - 1000);
    await expect(passwordOpens()).rejects.toEqual(apiError("unauthorized"));
    await clock.advance(1000);
    expect(await passwordOpens()).toMatchObject({ factorResetAt: null, user: { id: member.userId } });
    const again = await (await api.signedIn(owner)).members.list.query();
    expect(again.find(({ userId }) => userId === member.userId)).toMatchObject({ hasSecondFactor: false });
  });

  test("that demands single sign-on is opened by nothing else", async ({ api, make, makeKey, deps }) => {
    await using provider = await startOidcProvider();
    const owner = await make.owner();
    const { organizationId } = owner;
    const member = await make.member(organizationId);
    const { key } = await makeKey(owner);
    const domain = `${randomUUID()}.example`;
    const { id } = await addDomain(deps, owner, { domain });
    await deps.db.prisma.organizationDomain.update({ where: { id }, data: { provenAt: deps.clock.now() } });
    const ownerCookie = await api.sessionCookie(owner.email);
    const [boss, worker] = [api.withCookie(ownerCookie), await api.signedIn(member)];
    const { redirectUrl } = await boss.singleSignOn.save.mutate({
      issuer: provider.issuer,
      ...provider.client,
    });
    provider.allowRedirect(redirectUrl ?? "");
    await expect(boss.singleSignOn.enforce.mutate({ enforced: true })).rejects.toEqual(apiError("conflict"));

    const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
    const throughProvider = async (sub: string, path: "link" | "start", cookie = "") => {
      const asked = await api.post(`/api/auth/oidc/${path}`, { organization: slug, to: "/" }, { cookie });
      const { url } = (await asked.json()) as { url: string };
      const back = new URL(await provider.visit(url, sub));
      const answer = await api.fetch(back.pathname + back.search, {
        headers: { cookie: [cookie, cookiesOf(asked)].filter(Boolean).join("; ") },
        redirect: "manual",
      });
      expect(answer.headers.get("location")).toBe("/");
      return cookiesOf(answer);
    };
    // The owner agrees to the link; somebody of the proven domain gets an account.
    provider.accounts.set("owner", { email: "owner@elsewhere.example", email_verified: true });
    provider.accounts.set("new", { email: `new@${domain}`, email_verified: true });
    await throughProvider("owner", "link", ownerCookie);
    const proven = api.withCookie(await throughProvider("owner", "start"));
    await proven.singleSignOn.enforce.mutate({ enforced: true });

    const refused = apiError("single_sign_on_required");
    for (const session of [boss, worker, await api.signedIn(owner)]) {
      await expect(session.queries.list.query({})).rejects.toEqual(refused);
    }
    expect(await proven.members.list.query()).toHaveLength(2);
    const newcomer = api.withCookie(await throughProvider("new", "start"));
    await newcomer.queries.list.query({});
    await api.withKey(key).queries.list.query({});
    await proven.singleSignOn.enforce.mutate({ enforced: false });
    await worker.queries.list.query({});
  });

  test("that was deleted is gone for its people and their keys", async ({
    api,
    make,
    makeKey,
    deps,
    clock,
  }) => {
    const [owner, bystander] = [await make.owner(), await make.owner()];
    const { key } = await makeKey(owner);
    const { key: otherKey } = await makeKey(bystander);
    const query = await make.query(owner, "SELECT 1");
    const kept = await make.query(bystander, "SELECT 1");
    const boss = await api.signedIn(owner);
    const { name } = (await boss.me.get.query()).memberships[0] ?? { name: "" };
    await boss.organizationDeletion.request.mutate({ name });
    await clock.advance(organizationDeletionDays * dayMs - 1);
    expect(await deleteDueOrganizations(deps)).toBe(0);
    await expect(api.withKey(key).queries.get.query({ id: query.id })).resolves.toBeDefined();
    await clock.advance(1);
    expect(await deleteDueOrganizations(deps)).toBe(1);
    // A process keeps a key for five seconds.
    await clock.advance(5_000);
    await expect(api.withKey(key).queries.get.query({ id: query.id })).rejects.toEqual(
      apiError("unauthorized"),
    );
    const described = await api.fetch("/api/key", { headers: { authorization: `Bearer ${key}` } });
    expect(described.status).toBe(401);
    // The account is the person's, and stays.
    const after = await api.signedIn(owner);
    expect(await after.me.get.query()).toMatchObject({ organizationId: null, memberships: [] });
    await expect(after.queries.list.query({})).rejects.toEqual(apiError("unauthorized"));
    expect(await api.withKey(otherKey).queries.get.query({ id: kept.id })).toMatchObject({ id: kept.id });
  });
});
