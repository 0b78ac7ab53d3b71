import { createOrganizationAsOperator, listOrganizationsAsOperator } from "@querybell/core/operator";
import { newId } from "@querybell/domain";
import { testPassword } from "@querybell/core/testing";
import { expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

apiTest(
  "whoever creates an organization owns it, and looks at it from then on",
  async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const elsewhere = await api.signedIn(owner);
    const created = await client.me.createOrganization.mutate({ name: "  Café & Société  " });
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
    await expect(client.settings.get.query()).resolves.toMatchObject({
      name: created.name,
      webhooksEnabled: false,
      restCompatibility: deps.deployment.restCompatibility,
      resultLifetimeSeconds: 86_400,
    });
    await expect(client.me.get.query()).resolves.toMatchObject({ organizationId });
    await expect(elsewhere.me.get.query(), "another session stays where it is").resolves.toMatchObject({
      organizationId: owner.organizationId,
    });
  },
);

apiTest(
  "a session can look at any organization of its person and at no other",
  async ({ api, make, clock }) => {
    const owner = await make.owner();
    const other = await make.organization();
    const client = await api.signedIn(owner);
    const { organizationId } = await client.me.createOrganization.mutate({ name: "Second" });
    const { switchOrganization } = client.me;
    await switchOrganization.mutate({ organizationId: owner.organizationId });
    await expect(client.me.get.query()).resolves.toMatchObject({ organizationId: owner.organizationId });
    for (const wrong of [other.organizationId, newId(clock)]) {
      await expect(switchOrganization.mutate({ organizationId: wrong })).rejects.toEqual(
        apiError("not_found"),
      );
    }
    await expect(client.me.get.query()).resolves.toMatchObject({ organizationId: owner.organizationId });
    await switchOrganization.mutate({ organizationId });
    await expect(client.members.list.query()).resolves.toMatchObject([{ userId: owner.userId }]);
  },
);

apiTest(
  "somebody removed from the organization they look at falls back to another",
  async ({ api, make }) => {
    const [boss, worker] = [await make.owner(), await make.owner()];
    const bossClient = await api.signedIn(boss);
    const client = await api.signedIn(worker);
    const { link } = await bossClient.invitations.create.mutate({ email: worker.email, role: "member" });
    await client.invitations.accept.mutate({ token: link.url.split("#")[1] ?? "" });
    await client.me.switchOrganization.mutate({ organizationId: boss.organizationId });
    await bossClient.members.remove.mutate({ userId: worker.userId });
    const { organizationId, memberships } = await client.me.get.query();
    expect(organizationId).toBe(worker.organizationId);
    expect(memberships).toHaveLength(1);
  },
);

apiTest("the operator makes an organization and a link for its first owner", async ({ api, deps }) => {
  const email = "first.owner@example.test";
  const { slug, link } = await createOrganizationAsOperator(deps, { name: "Made", email });
  const token = link.url.split("#")[1] ?? "";
  const account = { name: "First", password: testPassword };
  const joined = await api.asNobody().invitations.accept.mutate({ token, account });
  expect(joined).toMatchObject({ slug, role: "owner" });
  const client = await api.signedIn({ email });
  const log = await client.audit.list.query({});
  expect(log.items.map(({ action, actor }) => [action, actor?.email ?? null])).toEqual([
    ["member.joined", email],
    ["invitation.created", null],
    ["organization.created", null],
  ]);
  const listed = await listOrganizationsAsOperator(deps);
  expect(listed).toContainEqual(expect.objectContaining({ slug, _count: { members: 1 } }));
});
