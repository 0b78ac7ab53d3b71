import { createEmbeddingKey } from "@querybell/core/embedding";
import { requestDeletion } from "@querybell/core/erasure";
import { createGroup } from "@querybell/core/groups";
import { acceptInvitation, createInvitation } from "@querybell/core/invitations";
import { createServiceAccount } from "@querybell/core/members";
import { updateSettings } from "@querybell/core/organizations";
import { createSampleShop, deleteSampleShop } from "@querybell/core/sample-shop";
import { testPassword } from "@querybell/core/testing";
import { ConfirmWithPasskey, maxEmbeddingKeys, newId } from "@querybell/domain";
import type { ProvocationContext } from "./provoke.ts";

/** Errors because of accounts, members, invitations and the organization's state. */
export async function provokePeople({ api, deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const sessionOf = async (email: string) => ({ cookie: await api.sessionCookie(email), origin: api.origin });
  const admin = await make.member(owner.organizationId, "admin");
  const asAdmin = await sessionOf(admin.email);
  const { userId } = owner;
  await provoke("operations.get", "forbidden");
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

  await provokeFactors({ api, deps, make, owner, provoke });
  await provokeSingleSignOn({ api, deps, make, owner, provoke });

  await provokeEmbedding({ deps, owner, provoke });

  const restSunsetAt = "2100-01-01T00:00:00Z";
  await updateSettings(deps, owner, { restCompatibility: "retired" });
  await provoke("settings.update", "conflict", { restSunsetAt });

  for (const path of ["exports.find", "exports.create"]) await provoke(path, "forbidden", undefined, asAdmin);
  await provoke("exports.delete", "forbidden", { id: userId }, asAdmin);
  await provoke("exports.delete", "not_found", { id: userId });
  const unknown = { client_id: crypto.randomUUID(), redirect_uri: "https://example.com/callback" };
  const approval = { scopes: ["queries:read"], days: 7 };
  for (const [request, code] of [
    [unknown, "not_found"],
    [{}, "invalid_request"],
  ] as const) {
    await provoke("connectedPrograms.describeRequest", code, request);
    await provoke("connectedPrograms.approve", code, { request, ...approval });
  }

  const { name } = await deps.db.prisma.organization.findUniqueOrThrow({
    where: { id: owner.organizationId },
  });
  await provoke("organizationDeletion.request", "forbidden", { name }, asAdmin);
  await provoke("organizationDeletion.cancel", "forbidden", undefined, asAdmin);
  await provoke("organizationDeletion.cancel", "not_found");
  await requestDeletion(deps, owner, { name });
  await provoke("organizationDeletion.request", "conflict", { name });
  const { email: ownEmail } = await deps.db.prisma.user.findUniqueOrThrow({ where: { id: userId } });
  await provoke("me.deleteAccount", "last_owner", { email: ownEmail, password: testPassword });

  await provoke("sampleShop.delete", "not_found");
  await createSampleShop(deps, owner);
  await deleteSampleShop(deps, owner);
  await provoke("sampleShop.create", "conflict");
}

/** Errors because of what is missing for single sign-on, and of who may set it up. */
async function provokeSingleSignOn({ api, deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const admin = await make.member(owner.organizationId, "admin");
  const asAdmin = { cookie: await api.sessionCookie(admin.email), origin: api.origin };
  const id = newId(deps.clock);
  const provider = { issuer: "https://login.example.com", clientId: "x", clientSecret: "x" };
  await provoke("singleSignOn.save", "forbidden", provider, asAdmin);
  await provoke("singleSignOn.remove", "forbidden", undefined, asAdmin);
  await provoke("singleSignOn.enforce", "forbidden", { enforced: false }, asAdmin);
  await provoke("singleSignOn.addDomain", "forbidden", { domain: "acme.example" }, asAdmin);
  await provoke("singleSignOn.checkDomain", "forbidden", { id }, asAdmin);
  await provoke("singleSignOn.removeDomain", "forbidden", { id }, asAdmin);
  await provoke("singleSignOn.createScimToken", "forbidden", undefined, asAdmin);
  await provoke("singleSignOn.deleteScimToken", "forbidden", undefined, asAdmin);
  await provoke("singleSignOn.remove", "not_found");
  await provoke("singleSignOn.enforce", "not_found", { enforced: false });
  await provoke("singleSignOn.enforce", "conflict", { enforced: true });
  const { organizationId } = owner;
  const createdAt = deps.clock.now();
  await deps.db.prisma.organizationDomain.createMany({
    data: Array.from({ length: 50 }, (_, number) => ({
      ...{ id: newId(deps.clock), organizationId, domain: `${number}.invalid`, token: "x", createdAt },
    })),
  });
  await provoke("singleSignOn.addDomain", "conflict", { domain: "acme.example" });
  const domain = await deps.db.prisma.organizationDomain.findFirstOrThrow({ where: { organizationId } });
  await provoke("singleSignOn.checkDomain", "domain_unproven", { id: domain.id });
}

/** Errors because of second factors: some are there already, some are missing. */
async function provokeFactors({ api, deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const sessionOf = async (email: string) => ({ cookie: await api.sessionCookie(email), origin: api.origin });
  const member = await make.member(owner.organizationId);
  const { userId } = member;
  await provoke("members.requestFactorReset", "conflict", { userId });
  const admin = await make.member(owner.organizationId, "admin");
  await provoke(
    "members.requestFactorReset",
    "forbidden",
    { userId: owner.userId },
    await sessionOf(admin.email),
  );
  const asMember = await sessionOf(member.email);
  await provoke("secondFactor.renewRecoveryCodes", "conflict", undefined, asMember);
  await provoke("secondFactor.removeTotp", "not_found", undefined, asMember);
  await provoke("secondFactor.cancelReset", "not_found", undefined, asMember);
  const now = deps.clock.now();
  const passkeys = Array.from({ length: 20 }, () => newId(deps.clock)).map((id) => ({
    ...{ id, userId, name: id, credentialId: id },
    ...{ publicKey: new Uint8Array(1), counter: 0, createdAt: now },
  }));
  await deps.db.prisma.passkey.createMany({ data: passkeys });
  await deps.db.prisma.totpFactor.create({
    data: { userId, sealedSecret: "sealed", lastUsedStep: 0, createdAt: now, confirmedAt: now },
  });
  await provoke("keys.create", "forbidden", { name: "Key", scopes: [] }, asMember);
  await provoke("me.changePassword", "confirmation_required", undefined, asMember);
  await deps.db.prisma.session.updateMany({ where: { userId }, data: { secondFactorAt: now } });
  await provoke("secondFactor.startPasskey", "conflict", {}, asMember);
  await provoke("secondFactor.startTotp", "conflict", {}, asMember);
  const { credential } = ConfirmWithPasskey.parse({ credential: unknownPasskey });
  await provoke("secondFactor.confirmWithPasskey", "invalid_request", { credential }, asMember);
}

const unknownPasskey = {
  ...{ id: "unknown", rawId: "unknown", type: "public-key" },
  response: { clientDataJSON: "x", authenticatorData: "x", signature: "x" },
};

async function provokeEmbedding({
  deps,
  owner,
  provoke,
}: Pick<ProvocationContext, "deps" | "owner" | "provoke">): Promise<void> {
  const { userId: serviceAccountId } = await createServiceAccount(deps, owner, {
    ...{ name: "Portal", role: "viewer" },
  });
  const publicKey =
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n";
  const key = { name: "Portal", publicKey, serviceAccountId, origins: ["https://app.example.com"] };
  for (let made = 0; made < maxEmbeddingKeys; made++) {
    await createEmbeddingKey(deps, owner, { ...key, cacheMinutes: 10 });
  }
  await provoke("embedding.create", "conflict", key);
}
