import { CreateInvitation } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../deps.ts";
import { resetPassword } from "../identity/index.ts";
import { createOrganizationAsOperator } from "../operator/index.ts";
import { listMemberships } from "../organizations/index.ts";
import { appError } from "../testing/app-error.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { dbTest } from "../testing/db-test.ts";
import { testPassword } from "../testing/factories.ts";
import { queuedMailsTo } from "../testing/queued-mails.ts";
import { signIn, wrongPassword } from "../testing/sign-in.ts";
import {
  acceptInvitation,
  createInvitation,
  getOpenInvitation,
  listInvitations,
  revokeInvitation,
} from "./index.ts";

const account = { name: "Newcomer", password: testPassword };
const tokenOf = ({ link }: { link: { url: string } }) => link.url.split("#")[1] ?? "";
const week = 7 * 24 * 60 * 60 * 1000;

const test = dbTest.extend("team", { scope: "file" }, async ({ make, deps }) => {
  const owner = await make.owner();
  let invited = 0;
  const newAddress = () => `newcomer-${++invited}@example.test`;
  const invite = (email = newAddress()) => createInvitation(deps, owner, { email, role: "member" });
  return {
    owner,
    organizationId: owner.organizationId,
    newAddress,
    invite,
    /** Creates an account with the link that the owner is shown, so nobody has proven to own its address. */
    join: async (email: string) =>
      acceptInvitation(deps, undefined, { token: tokenOf(await invite(email)), account }),
  };
});

describe("inviting", () => {
  test("gives a link once, queues it as a mail, and is logged", async ({ team, deps, clock }) => {
    const email = team.newAddress();
    let made: Awaited<ReturnType<typeof team.invite>> | undefined;
    const logged = await auditDuring(deps, team.organizationId, async () => {
      made = await createInvitation(deps, team.owner, { email, role: "admin" });
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
        // The address is kept apart, so that it can be erased.
        detail: { personId: expect.any(String), role: "admin" },
      },
    ]);
    const [mail] = await queuedMailsTo(deps, email);
    expect(mail?.text).toMatch(/\/invitation#[\w-]{43}\n/);
    expect(mail?.text, "the mailed link is another one").not.toContain(made?.link.url);
    const stored = await deps.db.pool.query("SELECT i::text FROM invitations i WHERE id = $1", [made?.id]);
    const jobs = await deps.db.pool.query("SELECT payload::text FROM graphile_worker._private_jobs");
    expect(JSON.stringify([stored.rows, jobs.rows])).not.toContain(made && tokenOf(made));
  });

  test("an owner is for owners", async ({ make, team, deps }) => {
    const admin = await make.member(team.organizationId, "admin");
    const logged = await auditDuring(deps, team.organizationId, () =>
      expect(createInvitation(deps, admin, { email: team.newAddress(), role: "owner" })).rejects.toEqual(
        appError("forbidden"),
      ),
    );
    expect(logged).toEqual([]);
  });

  test("somebody who is a member already is a conflict, in any case of letters", async ({ team, deps }) => {
    const input = CreateInvitation.parse({ email: team.owner.email.toUpperCase(), role: "member" });
    const logged = await auditDuring(deps, team.organizationId, () =>
      expect(createInvitation(deps, team.owner, input)).rejects.toEqual(appError("conflict")),
    );
    expect(logged).toEqual([]);
  });

  test("again ends the link before, and lists one invitation", async ({ team, deps }) => {
    const email = team.newAddress();
    const first = await team.invite(email);
    const second = await team.invite(email);
    const find = (made: typeof first) => getOpenInvitation(deps, { token: tokenOf(made) });
    await expect(find(first)).rejects.toEqual(appError("not_found"));
    await expect(find(second)).resolves.toMatchObject({ email });
    const listed = await listInvitations(deps, team.owner);
    expect(listed.filter((one) => one.email === email).map(({ id }) => id)).toEqual([second.id]);
    expect(JSON.stringify(listed)).not.toContain(tokenOf(second));
    expect(await deps.db.prisma.user.count({ where: { email } })).toBe(0);
  });

  test("is limited for an address and for the organization, by the day", async ({ make, deps, clock }) => {
    const owner = await make.owner();
    const invite = (email: string) => createInvitation(deps, owner, { email, role: "member" });
    for (let time = 0; time < 5; time++) await invite("often@example.test");
    await expect(invite("often@example.test")).rejects.toEqual(appError("rate_limited"));
    for (let sent = 5; sent < 100; sent++) await invite(`one-of-many-${sent}@example.test`);
    await expect(invite("one-more@example.test")).rejects.toEqual(appError("rate_limited"));
    await clock.advance(24 * 60 * 60 * 1000);
    await expect(invite("often@example.test")).resolves.toBeDefined();
  });
});

describe("revoking an invitation", () => {
  test("ends its link, once, and is logged", async ({ team, deps }) => {
    const made = await team.invite();
    const { id } = made;
    const logged = await auditDuring(deps, team.organizationId, async () => {
      await revokeInvitation(deps, team.owner, { id });
      await expect(revokeInvitation(deps, team.owner, { id })).rejects.toEqual(appError("not_found"));
    });
    const actorUserId = team.owner.userId;
    const detail = { personId: expect.any(String) };
    expect(logged).toEqual([{ action: "invitation.revoked", actorUserId, targetId: id, detail }]);
    const accepted = acceptInvitation(deps, undefined, { token: tokenOf(made), account });
    await expect(accepted).rejects.toEqual(appError("not_found"));
  });
});

describe("accepting an invitation", () => {
  test("makes an account that can sign in, and is logged", async ({ team, deps }) => {
    const input = CreateInvitation.parse({ email: "Mixed.Case@Example.TEST", role: "member" });
    const token = tokenOf(await createInvitation(deps, team.owner, input));
    await expect(getOpenInvitation(deps, { token })).resolves.toMatchObject({
      email: "mixed.case@example.test",
      role: "member",
      account: "unknown",
    });
    const logged = await auditDuring(deps, team.organizationId, () =>
      acceptInvitation(deps, undefined, { token, account }),
    );
    const session = await signIn(deps, "Mixed.Case@example.test");
    const { user, memberships } = await session.describe();
    expect(user).toMatchObject({ name: account.name, email: "mixed.case@example.test" });
    expect(memberships).toMatchObject([{ organizationId: team.organizationId, role: "member" }]);
    expect(logged).toEqual([
      { action: "member.joined", actorUserId: user.id, targetId: user.id, detail: { role: "member" } },
    ]);
  });

  test("without a name and password for a new account is told what is missing", async ({ team, deps }) => {
    const token = tokenOf(await team.invite());
    await expect(acceptInvitation(deps, undefined, { token })).rejects.toMatchObject({
      code: "invalid_request",
      errors: [{ path: "account" }],
    });
    await expect(getOpenInvitation(deps, { token }), "the link is not used up").resolves.toBeDefined();
  });

  test("is for whoever has that address, signed in", async ({ make, team, deps }) => {
    const [invited, somebody] = [await make.user(), await make.user()];
    const token = tokenOf(await team.invite(invited.email));
    const logged = await auditDuring(deps, team.organizationId, async () => {
      for (const person of [undefined, somebody]) {
        const accepted = acceptInvitation(deps, person, { token, account });
        await expect(accepted).rejects.toThrow(`Sign in as ${invited.email} first`);
      }
    });
    expect(logged).toEqual([]);
    const session = await signIn(deps, invited.email);
    await acceptInvitation(deps, session.person, { token });
    await expect(session.describe()).resolves.toMatchObject({ organizationId: team.organizationId });
  });

  test("works until seven days have passed", async ({ team, deps, clock }) => {
    const token = tokenOf(await team.invite());
    await clock.advance(week - 1);
    await expect(getOpenInvitation(deps, { token })).resolves.toBeDefined();
    await clock.advance(1);
    await expect(getOpenInvitation(deps, { token })).rejects.toEqual(appError("not_found"));
    const accepted = acceptInvitation(deps, undefined, { token, account });
    await expect(accepted).rejects.toEqual(appError("not_found"));
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

  test("is proven by the mailed link and by no other", async ({ team, deps }) => {
    const [shown, read] = [team.newAddress(), team.newAddress()];
    const link = tokenOf(await team.invite(shown));
    await expect(getOpenInvitation(deps, { token: link })).resolves.toMatchObject({ account: "unknown" });
    await acceptInvitation(deps, undefined, { token: link, account });
    expect(await isVerified(deps, shown)).toBe(false);
    await team.invite(read);
    const token = await mailed(deps, read);
    await expect(getOpenInvitation(deps, { token })).resolves.toMatchObject({ account: "none" });
    await acceptInvitation(deps, undefined, { token, account });
    expect(await isVerified(deps, read)).toBe(true);
  });

  test("that an admin took for themselves is its owner's again with the next mailed invitation", async ({
    make,
    team,
    deps,
  }) => {
    const email = team.newAddress();
    await team.join(email);
    const squatter = await signIn(deps, email);
    const elsewhere = await make.owner();
    await createInvitation(deps, elsewhere, { email, role: "member" });
    const token = await mailed(deps, email);
    await expect(getOpenInvitation(deps, { token })).resolves.toMatchObject({ account: "unverified" });
    for (const person of [undefined, squatter.person]) {
      const accepted = acceptInvitation(deps, person, { token });
      await expect(accepted, "without a password").rejects.toMatchObject({
        code: "invalid_request",
        errors: [{ path: "account" }],
      });
    }
    const own = { name: "The Owner", password: "a password of my own" };
    await acceptInvitation(deps, undefined, { token, account: own });
    expect(await squatter.isActive()).toBe(false);
    await expect(signIn(deps, email, account.password)).rejects.toEqual(wrongPassword);
    await expect(signIn(deps, email, own.password)).resolves.toBeDefined();
    expect(await isVerified(deps, email)).toBe(true);
  });

  test("is not taken over by a link that an admin was shown", async ({ make, team, deps }) => {
    const email = team.newAddress();
    await team.join(email);
    const elsewhere = await make.owner();
    const shown = tokenOf(await createInvitation(deps, elsewhere, { email, role: "member" }));
    const admins = { name: "An Admin", password: "a password of the admin" };
    const accepted = acceptInvitation(deps, undefined, { token: shown, account: admins });
    await expect(accepted).rejects.toEqual(appError("unauthorized"));
    await expect(signIn(deps, email, admins.password)).rejects.toEqual(wrongPassword);
    await expect(signIn(deps, email, account.password)).resolves.toBeDefined();
  });

  test("that is proven is never taken over", async ({ make, team, deps }) => {
    const { email } = await make.user();
    const token = tokenOf(await team.invite(email));
    for (const link of [token, await mailed(deps, email)]) {
      const accepted = acceptInvitation(deps, undefined, { token: link, account });
      await expect(accepted).rejects.toEqual(appError("unauthorized"));
    }
  });

  test("that is somebody's unproven claim does not keep others out: they join with another account", async ({
    make,
    team,
    deps,
  }) => {
    const email = team.newAddress();
    await team.join(email);
    const [elsewhere, person] = [await make.owner(), await make.user()];
    const made = await createInvitation(deps, elsewhere, { email, role: "member" });
    await acceptInvitation(deps, person, { token: tokenOf(made) });
    const memberships = await listMemberships(deps, person);
    expect(memberships).toMatchObject([{ organizationId: elsewhere.organizationId }]);
  });

  test("that is not proven joins no further organization, whatever address the invitation names", async ({
    make,
    team,
    deps,
  }) => {
    const email = team.newAddress();
    await team.join(email);
    const { person: squatter } = await signIn(deps, email);
    const elsewhere = await make.owner();
    for (const invited of [email, team.newAddress()]) {
      const made = await createInvitation(deps, elsewhere, { email: invited, role: "member" });
      await expect(acceptInvitation(deps, squatter, { token: tokenOf(made) })).rejects.toEqual(
        appError("forbidden", /Nobody has proven to own the address of your account.*Forgot password/),
      );
    }
    const { organizationId } = elsewhere;
    const { userId } = squatter;
    const member = { organizationId, userId, role: "member", createdAt: deps.clock.now() } as const;
    await expect(
      deps.db.prisma.member.create({ data: member }),
      "the database refuses it too",
    ).rejects.toThrow(/is not proven/);
    const memberships = await listMemberships(deps, squatter);
    expect(memberships).toMatchObject([{ organizationId: team.organizationId }]);
  });

  test("is its owner's by a mail for a new password, also before anybody else invites them", async ({
    make,
    team,
    deps,
  }) => {
    const email = team.newAddress();
    await team.join(email);
    await deps.auth.api.requestPasswordReset({ body: { email } });
    const own = "a password of my own";
    await resetPassword(deps, { token: await mailed(deps, email), newPassword: own });
    await expect(signIn(deps, email, account.password)).rejects.toEqual(wrongPassword);
    const { person: owner } = await signIn(deps, email, own);
    const elsewhere = await make.owner();
    const made = await createInvitation(deps, elsewhere, { email, role: "member" });
    await acceptInvitation(deps, owner, { token: tokenOf(made) });
    expect(await listMemberships(deps, owner)).toHaveLength(2);
  });

  test("is proven by the operator's invitation", async ({ team, deps }) => {
    const email = team.newAddress();
    await team.join(email);
    const token = tokenOf(await createOrganizationAsOperator(deps, { name: "New", email }));
    await expect(getOpenInvitation(deps, { token })).resolves.toMatchObject({ account: "unverified" });
    const own = { name: "The Owner", password: "a password of my own" };
    await acceptInvitation(deps, undefined, { token, account: own });
    await expect(signIn(deps, email, account.password)).rejects.toEqual(wrongPassword);
    expect(await isVerified(deps, email)).toBe(true);
  });
});
