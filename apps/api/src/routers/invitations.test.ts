import type { Deps } from "@querybell/core";
import { acceptInvitation, createInvitation, revokeInvitation } from "@querybell/core/invitations";
import { createOrganizationAsOperator } from "@querybell/core/operator";
import { testPassword } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { auditDuring } from "@querybell/core/testing";
import { queuedMailsTo } from "@querybell/core/testing";

const account = { name: "Newcomer", password: testPassword };
const tokenOf = ({ link }: { link: { url: string } }) => link.url.split("#")[1] ?? "";
const week = 7 * 24 * 60 * 60 * 1000;

const test = apiTest.extend("team", { scope: "file" }, async ({ api, make, deps }) => {
  const owner = await make.owner();
  let invited = 0;
  return {
    owner,
    organizationId: owner.organizationId,
    client: await api.signedIn(owner),
    newAddress: () => `newcomer-${++invited}@example.test`,
    invite: (email = `newcomer-${++invited}@example.test`) =>
      createInvitation(deps, owner, { email, role: "member" }),
  };
});

describe("inviting", () => {
  test("gives a link once, queues it as a mail, and is logged", async ({ team, deps, clock }) => {
    const email = team.newAddress();
    let made: Awaited<ReturnType<typeof team.invite>> | undefined;
    const logged = await auditDuring(deps, team.organizationId, async () => {
      made = await team.client.invitations.create.mutate({ email, role: "admin" });
    });
    const expiresAt = new Date(clock.now().getTime() + week).toISOString();
    expect(made).toMatchObject({
      email,
      role: "admin",
      createdBy: team.owner.userId,
      link: { url: expect.stringMatching(/^http:\/\/localhost:4000\/invitation#[\w-]{43}$/), expiresAt },
    });
    expect(logged).toEqual([
      {
        action: "invitation.created",
        actorUserId: team.owner.userId,
        targetId: made?.id,
        detail: { email, role: "admin" },
      },
    ]);
    const [mail] = await queuedMailsTo(deps, email);
    expect(mail?.text).toMatch(/\/invitation#[\w-]{43}\n/);
    expect(mail?.text, "the mailed link is another one").not.toContain(made?.link.url);
    const stored = await deps.db.pool.query("SELECT i::text FROM invitations i WHERE id = $1", [made?.id]);
    const jobs = await deps.db.pool.query("SELECT payload::text FROM graphile_worker._private_jobs");
    expect(JSON.stringify([stored.rows, jobs.rows])).not.toContain(made && tokenOf(made));
  });

  test("an owner is for owners", async ({ api, make, team, deps }) => {
    const admin = await api.signedIn(await make.member(team.organizationId, "admin"));
    const logged = await auditDuring(deps, team.organizationId, () =>
      expect(admin.invitations.create.mutate({ email: team.newAddress(), role: "owner" })).rejects.toEqual(
        apiError("forbidden"),
      ),
    );
    expect(logged).toEqual([]);
  });

  test("somebody who is a member already is a conflict, in any case of letters", async ({ team, deps }) => {
    const logged = await auditDuring(deps, team.organizationId, () =>
      expect(
        team.client.invitations.create.mutate({ email: team.owner.email.toUpperCase(), role: "member" }),
      ).rejects.toEqual(apiError("conflict")),
    );
    expect(logged).toEqual([]);
  });

  test("again ends the link before, and lists one invitation", async ({ api, team, deps }) => {
    const email = team.newAddress();
    const first = await team.invite(email);
    const second = await team.invite(email);
    const { find } = api.asNobody().invitations;
    await expect(find.mutate({ token: tokenOf(first) })).rejects.toEqual(apiError("not_found"));
    await expect(find.mutate({ token: tokenOf(second) })).resolves.toMatchObject({ email });
    const listed = await team.client.invitations.list.query();
    expect(listed.filter((one) => one.email === email).map(({ id }) => id)).toEqual([second.id]);
    expect(JSON.stringify(listed)).not.toContain(tokenOf(second));
    expect(await deps.db.prisma.user.count({ where: { email } })).toBe(0);
  });

  test("is limited for an address and for the organization, by the day", async ({ api, make, clock }) => {
    const client = await api.signedIn(await make.owner());
    const invite = (email: string) => client.invitations.create.mutate({ email, role: "member" });
    for (let time = 0; time < 5; time++) await invite("often@example.test");
    await expect(invite("often@example.test")).rejects.toEqual(apiError("rate_limited"));
    for (let sent = 5; sent < 100; sent++) await invite(`one-of-many-${sent}@example.test`);
    await expect(invite("one-more@example.test")).rejects.toEqual(apiError("rate_limited"));
    await clock.advance(24 * 60 * 60 * 1000);
    await expect(invite("often@example.test")).resolves.toBeDefined();
  });
});

describe("revoking an invitation", () => {
  test("ends its link, once, and is logged", async ({ api, team, deps }) => {
    const made = await team.invite();
    const { id, email } = made;
    const logged = await auditDuring(deps, team.organizationId, async () => {
      await team.client.invitations.revoke.mutate({ id });
      await expect(team.client.invitations.revoke.mutate({ id })).rejects.toEqual(apiError("not_found"));
    });
    const actorUserId = team.owner.userId;
    expect(logged).toEqual([{ action: "invitation.revoked", actorUserId, targetId: id, detail: { email } }]);
    const { accept } = api.asNobody().invitations;
    await expect(accept.mutate({ token: tokenOf(made), account })).rejects.toEqual(apiError("not_found"));
  });
});

describe("accepting an invitation", () => {
  test("makes an account that can sign in, and is logged", async ({ api, team, deps }) => {
    const made = await team.client.invitations.create.mutate({
      email: "Mixed.Case@Example.TEST",
      role: "member",
    });
    const nobody = api.asNobody();
    await expect(nobody.invitations.find.mutate({ token: tokenOf(made) })).resolves.toMatchObject({
      email: "mixed.case@example.test",
      role: "member",
      account: "unknown",
    });
    const logged = await auditDuring(deps, team.organizationId, () =>
      nobody.invitations.accept.mutate({ token: tokenOf(made), account }),
    );
    const client = await api.signedIn({ email: "Mixed.Case@example.test" });
    const { user, memberships } = await client.me.get.query();
    expect(user).toMatchObject({ name: account.name, email: "mixed.case@example.test" });
    expect(memberships).toMatchObject([{ organizationId: team.organizationId, role: "member" }]);
    expect(logged).toEqual([
      { action: "member.joined", actorUserId: user.id, targetId: user.id, detail: { role: "member" } },
    ]);
  });

  test("without a name and password for a new account is told what is missing", async ({ api, team }) => {
    const token = tokenOf(await team.invite());
    const { accept, find } = api.asNobody().invitations;
    await expect(accept.mutate({ token })).rejects.toMatchObject({
      data: { reason: "invalid_request", errors: [{ path: "account" }] },
    });
    await expect(find.mutate({ token }), "the link is not used up").resolves.toBeDefined();
  });

  test("is for whoever has that address, signed in", async ({ api, make, team, deps }) => {
    const [invited, somebody] = [await make.user(), await make.user()];
    const token = tokenOf(await team.invite(invited.email));
    const logged = await auditDuring(deps, team.organizationId, async () => {
      for (const client of [api.asNobody(), await api.signedIn(somebody)]) {
        const accepted = client.invitations.accept.mutate({ token, account });
        await expect(accepted).rejects.toThrow(`Sign in as ${invited.email} first`);
      }
    });
    expect(logged).toEqual([]);
    const client = await api.signedIn(invited);
    await client.invitations.accept.mutate({ token });
    await expect(client.me.get.query()).resolves.toMatchObject({ organizationId: team.organizationId });
  });

  test("works until seven days have passed", async ({ api, team, clock }) => {
    const token = tokenOf(await team.invite());
    const { accept, find } = api.asNobody().invitations;
    await clock.advance(week - 1);
    await expect(find.mutate({ token })).resolves.toBeDefined();
    await clock.advance(1);
    await expect(find.mutate({ token })).rejects.toEqual(apiError("not_found"));
    await expect(accept.mutate({ token, account })).rejects.toEqual(apiError("not_found"));
  });

  test("works once, also for two who try at the same moment", async ({ team, deps }) => {
    const made = await team.invite();
    const accept = () => acceptInvitation(deps, undefined, { token: tokenOf(made), account });
    const logged = await auditDuring(deps, team.organizationId, async () => {
      const tries = await Promise.allSettled([accept(), accept(), accept()]);
      expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const one of tries) {
        if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "not_found" });
      }
    });
    expect(logged).toHaveLength(1);
    expect(await deps.db.prisma.user.count({ where: { email: made.email } })).toBe(1);
  });

  test("of two organizations at the same moment makes one account", async ({ make, team, deps }) => {
    const email = team.newAddress();
    const other = await make.owner();
    const invitations = [
      await team.invite(email),
      await createInvitation(deps, other, { email, role: "member" }),
    ];
    const tries = await Promise.allSettled(
      invitations.map((made) => acceptInvitation(deps, undefined, { token: tokenOf(made), account })),
    );
    const failed = tries.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect(["conflict", "unauthorized"]).toContain(failed[0]);
    expect(failed).toHaveLength(1);
    expect(await deps.db.prisma.user.count({ where: { email } })).toBe(1);
  });

  test("while the same person is invited again, or the invitation revoked, never ends in a deadlock", async ({
    make,
    team,
    deps,
  }) => {
    const { organizationId } = team;
    for (let round = 0; round < 10; round++) {
      const person = await make.user();
      const made = await team.invite(person.email);
      const results = await Promise.allSettled([
        acceptInvitation(deps, person, { token: tokenOf(made) }),
        team.invite(person.email),
        revokeInvitation(deps, team.owner, made),
      ]);
      const refusals = results.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
      expect(["not_found", "conflict"]).toEqual(expect.arrayContaining(refusals));
      const where = { organizationId, userId: person.userId };
      const { count } = await deps.db.prisma.member.deleteMany({ where });
      const open = { organizationId, email: person.email, acceptedAt: null, revokedAt: null };
      if (count) expect(await deps.db.prisma.invitation.count({ where: open })).toBe(0);
    }
  });
});

describe("the address of an account", () => {
  const mailed = async (deps: Deps, email: string) =>
    /#([\w-]+)/.exec((await queuedMailsTo(deps, email)).at(-1)?.text ?? "")?.[1] ?? "";
  const isVerified = async (deps: Deps, email: string) =>
    (await deps.db.prisma.user.findUniqueOrThrow({ where: { email } })).emailVerified;

  test("is proven by the mailed link and by no other", async ({ api, team, deps }) => {
    const [shown, read] = [team.newAddress(), team.newAddress()];
    const { accept, find } = api.asNobody().invitations;
    const link = tokenOf(await team.invite(shown));
    await expect(find.mutate({ token: link })).resolves.toMatchObject({ account: "unknown" });
    await accept.mutate({ token: link, account });
    expect(await isVerified(deps, shown)).toBe(false);
    await team.invite(read);
    const token = await mailed(deps, read);
    await expect(find.mutate({ token })).resolves.toMatchObject({ account: "none" });
    await accept.mutate({ token, account });
    expect(await isVerified(deps, read)).toBe(true);
  });

  test("that an admin took for themselves is its owner's again with the next mailed invitation", async ({
    api,
    make,
    team,
    deps,
  }) => {
    const email = team.newAddress();
    await api.asNobody().invitations.accept.mutate({ token: tokenOf(await team.invite(email)), account });
    const squatter = await api.sessionCookie(email);
    const elsewhere = await make.owner();
    await createInvitation(deps, elsewhere, { email, role: "member" });
    const token = await mailed(deps, email);
    const { accept, find } = api.asNobody().invitations;
    await expect(find.mutate({ token })).resolves.toMatchObject({ account: "unverified" });
    for (const client of [api.asNobody(), api.withCookie(squatter)]) {
      const accepted = client.invitations.accept.mutate({ token });
      await expect(accepted, "without a password").rejects.toMatchObject({
        data: { reason: "invalid_request", errors: [{ path: "account" }] },
      });
    }
    const own = { name: "The Owner", password: "a password of my own" };
    await accept.mutate({ token, account: own });
    await expect(api.withCookie(squatter).me.get.query()).rejects.toEqual(apiError("unauthorized"));
    expect((await api.signIn(email, account.password)).status).toBe(401);
    expect((await api.signIn(email, own.password)).status).toBe(200);
    expect(await isVerified(deps, email)).toBe(true);
  });

  test("is not taken over by a link that an admin was shown", async ({ api, make, team, deps }) => {
    const email = team.newAddress();
    await api.asNobody().invitations.accept.mutate({ token: tokenOf(await team.invite(email)), account });
    const elsewhere = await make.owner();
    const shown = tokenOf(await createInvitation(deps, elsewhere, { email, role: "member" }));
    const admins = { name: "An Admin", password: "a password of the admin" };
    await expect(api.asNobody().invitations.accept.mutate({ token: shown, account: admins })).rejects.toEqual(
      apiError("unauthorized"),
    );
    expect((await api.signIn(email, admins.password)).status).toBe(401);
    expect((await api.signIn(email, account.password)).status).toBe(200);
  });

  test("that is proven is never taken over", async ({ api, make, team, deps }) => {
    const { email } = await make.user();
    const token = tokenOf(await team.invite(email));
    for (const link of [token, await mailed(deps, email)]) {
      const accepted = api.asNobody().invitations.accept.mutate({ token: link, account });
      await expect(accepted).rejects.toEqual(apiError("unauthorized"));
    }
  });

  test("that is somebody's unproven claim does not keep others out: they join with another account", async ({
    api,
    make,
    team,
  }) => {
    const email = team.newAddress();
    await api.asNobody().invitations.accept.mutate({ token: tokenOf(await team.invite(email)), account });
    const [elsewhere, person] = [await make.owner(), await make.user()];
    const { link } = await (await api.signedIn(elsewhere)).invitations.create.mutate({
      email,
      role: "member",
    });
    const client = await api.signedIn(person);
    await client.invitations.accept.mutate({ token: tokenOf({ link }) });
    const { memberships } = await client.me.get.query();
    expect(memberships).toMatchObject([{ organizationId: elsewhere.organizationId }]);
  });

  test("that is not proven joins no further organization, whatever address the invitation names", async ({
    api,
    make,
    team,
    deps,
  }) => {
    const email = team.newAddress();
    await api.asNobody().invitations.accept.mutate({ token: tokenOf(await team.invite(email)), account });
    const squatter = api.withCookie(await api.sessionCookie(email));
    const elsewhere = await make.owner();
    for (const invited of [email, team.newAddress()]) {
      const made = await createInvitation(deps, elsewhere, { email: invited, role: "member" });
      await expect(squatter.invitations.accept.mutate({ token: tokenOf(made) })).rejects.toEqual(
        apiError("forbidden", /Nobody has proven to own the address of your account.*Forgot password/),
      );
    }
    const { id: userId } = await deps.db.prisma.user.findUniqueOrThrow({ where: { email } });
    const { organizationId } = elsewhere;
    const member = { organizationId, userId, role: "member", createdAt: deps.clock.now() } as const;
    await expect(
      deps.db.prisma.member.create({ data: member }),
      "the database refuses it too",
    ).rejects.toThrow(/is not proven/);
    const { memberships } = await squatter.me.get.query();
    expect(memberships).toMatchObject([{ organizationId: team.organizationId }]);
  });

  test("is its owner's by a mail for a new password, also before anybody else invites them", async ({
    api,
    make,
    team,
    deps,
  }) => {
    const email = team.newAddress();
    await api.asNobody().invitations.accept.mutate({ token: tokenOf(await team.invite(email)), account });
    await api.post("/api/auth/request-password-reset", { email });
    const own = "a password of my own";
    const token = await mailed(deps, email);
    expect((await api.post("/api/auth/reset-password", { token, newPassword: own })).status).toBe(200);
    expect((await api.signIn(email, account.password)).status).toBe(401);
    const owner = api.withCookie(await api.sessionCookie(email, own));
    const elsewhere = await make.owner();
    const made = await createInvitation(deps, elsewhere, { email, role: "member" });
    await owner.invitations.accept.mutate({ token: tokenOf(made) });
    const { memberships } = await owner.me.get.query();
    expect(memberships).toHaveLength(2);
  });

  test("is proven by the operator's invitation", async ({ api, team, deps }) => {
    const email = team.newAddress();
    await api.asNobody().invitations.accept.mutate({ token: tokenOf(await team.invite(email)), account });
    const made = await createOrganizationAsOperator(deps, { name: "New", email });
    const { find, accept } = api.asNobody().invitations;
    const token = tokenOf(made);
    await expect(find.mutate({ token })).resolves.toMatchObject({ account: "unverified" });
    await accept.mutate({ token, account: { name: "The Owner", password: "a password of my own" } });
    expect((await api.signIn(email, account.password)).status).toBe(401);
    expect(await isVerified(deps, email)).toBe(true);
  });
});
