import { createGroup } from "@querybell/core/groups";
import { acceptInvitation, createInvitation } from "@querybell/core/invitations";
import { updateSettings } from "@querybell/core/organizations";
import { createSampleShop, deleteSampleShop } from "@querybell/core/sample-shop";
import { testPassword } from "@querybell/core/testing";
import type { ProvocationContext } from "./provoke.ts";

/** Errors because of accounts, members, invitations and the organization's state. */
export async function provokePeople({ api, deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const sessionOf = async (email: string) => ({ cookie: await api.sessionCookie(email), origin: api.origin });
  const admin = await make.member(owner.organizationId, "admin");
  const asAdmin = await sessionOf(admin.email);
  const { userId } = owner;
  await provoke("members.changeRole", "forbidden", { userId, role: "member" }, asAdmin);
  await provoke("members.remove", "forbidden", { userId }, asAdmin);
  await provoke("members.createPasswordResetLink", "forbidden", { userId }, asAdmin);
  await provoke("access.seeAs", "forbidden", { userId }, asAdmin);
  await provoke("members.changeRole", "last_owner", { userId, role: "member" });
  await provoke("members.remove", "last_owner", { userId });
  await provoke("members.leave", "last_owner");

  const { id: groupId } = await createGroup(deps, owner, { name: "Sales" });
  const { id: otherId } = await createGroup(deps, owner, { name: "Support" });
  await provoke("groups.create", "conflict", { name: "SALES" });
  await provoke("groups.rename", "conflict", { groupId: otherId, name: "Sales" });
  const provided = { source: "scim", externalId: "1" } as const;
  await deps.db.prisma.group.update({ where: { id: groupId }, data: provided });
  await provoke("groups.changeMembers", "conflict", { groupId, add: [userId] });

  const email = "invited@example.test";
  await provoke("invitations.create", "forbidden", { email, role: "owner" }, asAdmin);
  await provoke("invitations.create", "conflict", { email: admin.email, role: "member" });
  for (let sent = 0; sent < 5; sent++) await createInvitation(deps, owner, { email, role: "member" });
  await provoke("invitations.create", "rate_limited", { email, role: "member" });
  const stranger = await make.user();
  const { link } = await createInvitation(deps, owner, { email: stranger.email, role: "member" });
  await provoke("invitations.accept", "unauthorized", { token: link.url.split("#")[1] }, {});
  const other = await createInvitation(deps, owner, { email: "other@example.test", role: "member" });
  await provoke("invitations.accept", "conflict", { token: other.link.url.split("#")[1] }, asAdmin);
  const elsewhere = await make.owner();
  const unproven = { email: "unproven@example.test", role: "member" } as const;
  const tokenOf = ({ link }: { link: { url: string } }) => ({ token: link.url.split("#")[1] ?? "" });
  const account = { name: "Unproven", password: testPassword };
  const first = tokenOf(await createInvitation(deps, elsewhere, unproven));
  await acceptInvitation(deps, undefined, { ...first, account });
  const second = tokenOf(await createInvitation(deps, owner, unproven));
  await provoke("invitations.accept", "forbidden", second, await sessionOf(unproven.email));

  const restSunsetAt = "2100-01-01T00:00:00Z";
  await updateSettings(deps, owner, { restCompatibility: "retired" });
  await provoke("settings.update", "conflict", { restSunsetAt });

  await provoke("sampleShop.delete", "not_found");
  await createSampleShop(deps, owner);
  await deleteSampleShop(deps, owner);
  await provoke("sampleShop.create", "conflict");
}
