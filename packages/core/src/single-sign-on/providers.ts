import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type EnforceSingleSignOn,
  GivenRole,
  type IdentityProvider,
  newId,
  type SaveIdentityProvider,
  type SingleSignOn,
} from "@querybell/domain";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { listDomains, requireOwnerRole } from "./domains.ts";
import { type Connection, checkProvider } from "./oidc-client.ts";

/** The `providerId` of linked accounts. */
export const accountProvider = (key: string): string => `oidc:${key}`;

export const redirectUrl = ({ deployment }: Pick<Deps, "deployment">, key: string): string =>
  `${deployment.publicUrl}/api/auth/oidc/${key}/callback`;

const purposeOf = (id: string) => `client secret of identity provider ${id}`;

export async function getSingleSignOn(deps: Deps, caller: Caller): Promise<SingleSignOn> {
  const { organizationId, via } = caller;
  const [row, domains, session] = await Promise.all([
    deps.db.prisma.identityProvider.findUnique({ where: { organizationId } }),
    listDomains(deps, caller),
    via.kind === "session" ? deps.db.prisma.session.findUnique({ where: { id: via.sessionId } }) : null,
  ]);
  return {
    provider: row && toProvider(row),
    redirectUrl: row && redirectUrl(deps, row.id),
    domains,
    isCurrent: session?.onlyOrganizationId === organizationId,
  };
}

const toProvider = (row: Prisma.IdentityProviderModel): IdentityProvider => ({
  issuer: row.issuer,
  clientId: row.clientId,
  defaultRole: GivenRole.parse(row.defaultRole),
  groupsClaim: row.groupsClaim,
  adminGroups: row.adminGroups,
  enforced: row.enforced,
  createdAt: row.createdAt.toISOString(),
});

/** The client at an organization's provider. */
export const toConnection = (
  { guards, sealer }: { guards: Deps["singleSignOn"]["guards"] } & Pick<Deps, "sealer">,
  row: Prisma.IdentityProviderModel,
): Connection => ({
  issuer: row.issuer,
  clientId: row.clientId,
  clientSecret: openClientSecret({ sealer }, row.id, row.sealedClientSecret),
  groupsClaim: row.groupsClaim,
  guard: guards.organizations,
});

export const sealClientSecret = ({ sealer }: Pick<Deps, "sealer">, id: string, secret: string): string =>
  sealer.seal(purposeOf(id), Buffer.from(secret));

export const openClientSecret = ({ sealer }: Pick<Deps, "sealer">, id: string, sealed: string): string =>
  Buffer.from(sealer.open(purposeOf(id), sealed)).toString();

/** Saves the provider after it has answered. People whom another issuer has named are unlinked, and signed out. */
export async function saveIdentityProvider(
  deps: Deps,
  caller: Caller,
  { clientSecret: given, ...input }: SaveIdentityProvider,
): Promise<SingleSignOn> {
  requireOwnerRole(caller);
  const { organizationId } = caller;
  const { issuer, clientId, groupsClaim } = input;
  const before = await deps.db.prisma.identityProvider.findUnique({ where: { organizationId } });
  const isSame = before?.issuer === issuer && before.clientId === clientId;
  const clientSecret =
    given ?? (isSame ? openClientSecret(deps, before.id, before.sealedClientSecret) : undefined);
  if (clientSecret === undefined) {
    throw new AppError("invalid_request", "Give the secret of the client.", {
      errors: [{ path: "clientSecret", message: "is needed for another issuer or client" }],
    });
  }
  const guard = deps.singleSignOn.guards.organizations;
  await checkProvider({ issuer, clientId, clientSecret, groupsClaim, guard });
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    // A provider with another issuer is another provider: its people are others.
    if (before && before.issuer !== issuer) await deleteProvider(tx, before.id);
    const id = before?.issuer === issuer ? before.id : newId(deps.clock);
    const content = {
      ...input,
      sealedClientSecret: sealClientSecret(deps, id, clientSecret),
    };
    await tx.identityProvider.upsert({
      where: { organizationId },
      create: { id, organizationId, ...content, createdAt: now, updatedAt: now },
      update: { ...content, updatedAt: now },
    });
    await recordAudit({ ...deps, tx }, caller, {
      action: "single_sign_on.changed",
      targetId: id,
      detail: { issuer, clientId, defaultRole: input.defaultRole, adminGroups: input.adminGroups },
    });
  });
  return getSingleSignOn(deps, caller);
}

/** Deletes a provider, the links of people to it, and its sessions. */
async function deleteProvider(tx: Tx, id: string): Promise<void> {
  await tx.account.deleteMany({ where: { providerId: accountProvider(id) } });
  // Its sessions are deleted with it, by a foreign key.
  await tx.identityProvider.delete({ where: { id } });
}

export async function removeIdentityProvider(deps: Deps, caller: Caller): Promise<void> {
  requireOwnerRole(caller);
  await deps.db.transaction(async (tx) => {
    const row = await tx.identityProvider.findUnique({ where: { organizationId: caller.organizationId } });
    if (!row) throw noProvider();
    await deleteProvider(tx, row.id);
    await recordAudit({ ...deps, tx }, caller, {
      action: "single_sign_on.removed",
      targetId: row.id,
      detail: { issuer: row.issuer },
    });
  });
}

const noProvider = () => new AppError("not_found", "No provider is set up.");

/** Whether only sessions of the provider open the organization. Whoever turns it on has signed in with it. */
export async function enforceSingleSignOn(
  deps: Deps,
  caller: Caller,
  { enforced }: EnforceSingleSignOn,
): Promise<SingleSignOn> {
  requireOwnerRole(caller);
  if (enforced && !(await getSingleSignOn(deps, caller)).isCurrent) {
    throw new AppError("conflict", "Sign in through the provider first. That proves that it lets you in.");
  }
  await deps.db.transaction((tx) => setEnforced({ ...deps, tx }, caller, enforced));
  return getSingleSignOn(deps, caller);
}

export async function setEnforced(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  actor: Actor,
  enforced: boolean,
): Promise<void> {
  const { organizationId } = actor;
  const [changed] = await tx.identityProvider.updateManyAndReturn({
    where: { organizationId },
    data: { enforced, updatedAt: clock.now() },
  });
  if (!changed) throw noProvider();
  const action = enforced ? "single_sign_on.enforced" : "single_sign_on.optional";
  await recordAudit({ tx, clock }, actor, { action, targetId: changed.id });
}
