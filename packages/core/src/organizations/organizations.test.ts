import { CreateOrganization, ListAudit, newId } from "@querybell/domain";
import { expect } from "vitest";
import { listAudit } from "../audit.ts";
import { acceptInvitation, createInvitation } from "../invitations/index.ts";
import { listMembers, removeMember } from "../members/index.ts";
import { createOrganizationAsOperator, listOrganizationsAsOperator } from "../operator/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { testPassword } from "../testing/factories.ts";
import { signIn } from "../testing/sign-in.ts";
import { createOrganization, getSettings, switchOrganization } from "./index.ts";

dbTest("whoever creates an organization owns it, and looks at it from then on", async ({ make, deps }) => {
  const owner = await make.owner();
  const [session, elsewhere] = [await signIn(deps, owner.email), await signIn(deps, owner.email)];
  const input = CreateOrganization.parse({ name: "  Café & Société  " });
  const created = await createOrganization(deps, session.person, input);
  expect(created).toMatchObject({ name: "Café & Société", role: "owner" });
  expect(created.slug).toMatch(/^cafe-societe-[0-9a-f]{6}$/);
  const { organizationId } = created;
  const { userId } = owner;
  const logged = await deps.db.prisma.auditEntry.findMany({
    where: { organizationId },
    orderBy: { id: "asc" },
  });
  expect(logged).toMatchObject([
    {
      action: "organization.created",
      actorUserId: userId,
      targetId: organizationId,
      detail: { name: created.name },
    },
    { action: "member.joined", actorUserId: userId, targetId: userId, detail: { role: "owner" } },
  ]);
  await expect(getSettings(deps, await session.getCaller())).resolves.toMatchObject({
    name: created.name,
    webhooksEnabled: false,
    restCompatibility: deps.deployment.restCompatibility,
    resultLifetimeSeconds: 86_400,
  });
  await expect(session.describe()).resolves.toMatchObject({ organizationId });
  await expect(elsewhere.describe(), "another session stays where it is").resolves.toMatchObject({
    organizationId: owner.organizationId,
  });
});

dbTest(
  "a session can look at any organization of its person and at no other",
  async ({ make, deps, clock }) => {
    const owner = await make.owner();
    const other = await make.organization();
    const session = await signIn(deps, owner.email);
    const { organizationId } = await createOrganization(deps, session.person, { name: "Second" });
    const switchTo = (id: string) => switchOrganization(deps, session.person, { organizationId: id });
    await switchTo(owner.organizationId);
    await expect(session.describe()).resolves.toMatchObject({ organizationId: owner.organizationId });
    for (const wrong of [other.organizationId, newId(clock)]) {
      await expect(switchTo(wrong)).rejects.toEqual(appError("not_found"));
    }
    await expect(session.describe()).resolves.toMatchObject({ organizationId: owner.organizationId });
    await switchTo(organizationId);
    const caller = await session.getCaller();
    expect(caller.organizationId).toBe(organizationId);
    await expect(listMembers(deps, caller)).resolves.toMatchObject([{ userId: owner.userId }]);
  },
);

dbTest(
  "somebody removed from the organization they look at falls back to another",
  async ({ make, deps }) => {
    const [boss, worker] = [await make.owner(), await make.owner()];
    const session = await signIn(deps, worker.email);
    const { link } = await createInvitation(deps, boss, { email: worker.email, role: "member" });
    await acceptInvitation(deps, session.person, { token: link.url.split("#")[1] ?? "" });
    await switchOrganization(deps, session.person, { organizationId: boss.organizationId });
    await removeMember(deps, boss, { userId: worker.userId });
    const { organizationId, memberships } = await session.describe();
    expect(organizationId).toBe(worker.organizationId);
    expect(memberships).toHaveLength(1);
  },
);

dbTest("the operator makes an organization and a link for its first owner", async ({ deps }) => {
  const email = "first.owner@example.test";
  const { slug, link } = await createOrganizationAsOperator(deps, { name: "Made", email });
  const token = link.url.split("#")[1] ?? "";
  const account = { name: "First", password: testPassword };
  const joined = await acceptInvitation(deps, undefined, { token, account });
  expect(joined).toMatchObject({ slug, role: "owner" });
  const session = await signIn(deps, email);
  const log = await listAudit(deps, await session.getCaller(), ListAudit.parse({}));
  expect(log.items.map(({ action, actor }) => [action, actor?.email ?? null])).toEqual([
    ["member.joined", email],
    ["invitation.created", null],
    ["organization.created", null],
  ]);
  const listed = await listOrganizationsAsOperator(deps);
  expect(listed).toContainEqual(expect.objectContaining({ slug, _count: { members: 1 } }));
});
