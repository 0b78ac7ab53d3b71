import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  newId,
  type Person,
  type SingleSignOnProblem,
  type StartSingleSignOn,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { setGroupsOfMember } from "../groups/index.ts";
import { createUser, takeOverAccount } from "../identity/accounts.ts";
import type { Client } from "../identity/client.ts";
import { createSession } from "../identity/create-session.ts";
import { newRequestToken, requestCookie, saveRequest, takeRequest } from "../identity/sign-in-requests.ts";
import { lockRow } from "../lock-row.ts";
import { addMember } from "../members/members.ts";
import { ownsAddress } from "./domains.ts";
import {
  type Claims,
  type Connection,
  endSessionUrl,
  finishAuthorization,
  startAuthorization,
} from "./oidc-client.ts";
import { accountProvider, redirectUrl, toConnection } from "./providers.ts";

/** The key of the operator's provider. Those of organizations are ids. */
const deploymentKey = "deployment";

type Provider = Connection & { key: string } & (
    | { kind: "deployment"; domains: readonly string[] }
    | { kind: "organization"; row: Prisma.IdentityProviderModel }
  );

const toOrganizationProvider = (deps: Deps, row: Prisma.IdentityProviderModel): Provider => ({
  ...toConnection({ ...deps, guards: deps.singleSignOn.guards }, row),
  key: row.id,
  kind: "organization",
  row,
});

function findDeploymentProvider({ singleSignOn }: Deps): Provider | undefined {
  const { deployment, guards } = singleSignOn;
  return deployment
    ? {
        ...deployment,
        groupsClaim: "groups",
        guard: guards.deployment,
        key: deploymentKey,
        kind: "deployment",
      }
    : undefined;
}

async function findProvider(deps: Deps, key: string): Promise<Provider | undefined> {
  if (key === deploymentKey) return findDeploymentProvider(deps);
  const row = await deps.db.prisma.identityProvider.findUnique({ where: { id: key } });
  return row ? toOrganizationProvider(deps, row) : undefined;
}

/** The provider of an address's domain, of an organization by its short name, or the deployment's. */
async function chooseProvider(deps: Deps, input: StartSingleSignOn): Promise<Provider | undefined> {
  const { prisma } = deps.db;
  if ("organization" in input) {
    const row = await prisma.identityProvider.findFirst({
      where: { organization: { slug: input.organization } },
    });
    return row ? toOrganizationProvider(deps, row) : undefined;
  }
  if (!("email" in input)) return findDeploymentProvider(deps);
  const domain = input.email.slice(input.email.lastIndexOf("@") + 1);
  const row = await prisma.identityProvider.findFirst({
    where: { organization: { domains: { some: { domain, provenAt: { not: null } } } } },
    orderBy: { createdAt: "asc" },
  });
  if (row) return toOrganizationProvider(deps, row);
  const deployment = findDeploymentProvider(deps);
  return deployment?.kind === "deployment" && deployment.domains.includes(domain) ? deployment : undefined;
}

/**
 * Begins a sign-in through a provider: the address to send the browser to. With a person, who is signed in and has
 * agreed, the identity at the provider is linked to their account.
 */
export async function startSingleSignOn(
  deps: Deps,
  input: StartSingleSignOn,
  linkTo?: Person,
): Promise<{ url: string; cookies: string[] }> {
  const provider = await chooseProvider(deps, input);
  if (!provider) {
    throw new AppError("not_found", "No single sign-on is set up for this. Sign in with your password.");
  }
  const redirectUri = redirectUrl(deps, provider.key);
  const loginHint = "email" in input ? input.email : undefined;
  const { url, ...started } = await startAuthorization(provider, { redirectUri, loginHint }).catch(
    (cause: unknown) => {
      throw new AppError("unavailable", "The provider does not answer. Try again, or sign in another way.", {
        cause,
      });
    },
  );
  const token = newRequestToken();
  const { key, issuer } = provider;
  const { to } = input;
  const link = linkTo ? { userId: linkTo.userId, sessionId: linkTo.sessionId } : null;
  await deps.db.transaction((tx) =>
    saveRequest({ ...deps, tx }, token, { kind: "oidc", key, issuer, to, link, ...started }),
  );
  return { url, cookies: [requestCookie(deps, token)] };
}

export type SingleSignOnAnswer =
  | { kind: "signed_in" | "linked"; cookies: string[]; to: string }
  | { kind: "refused"; problem: SingleSignOnProblem; cause?: unknown };

interface Callback {
  key: string;
  /** The token in the browser's cookie. */
  token: string | undefined;
  /** Path and query of the request. */
  path: string;
}

class Refused extends Error {
  readonly problem: SingleSignOnProblem;
  constructor(problem: SingleSignOnProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** The provider has sent the browser back. */
export async function finishSingleSignOn(
  deps: Deps,
  { key, token, path }: Callback,
  client: Client,
): Promise<SingleSignOnAnswer> {
  // Deleted before the code is exchanged: an answer works once, in the browser in which it was asked for.
  const request = await takeRequest({ ...deps, tx: deps.db.prisma }, token, "oidc");
  if (!request || request.key !== key) return { kind: "refused", problem: "expired" };
  const provider = await findProvider(deps, key);
  if (!provider || provider.issuer !== request.issuer) return { kind: "refused", problem: "expired" };
  let claims: Claims;
  try {
    claims = await finishAuthorization(provider, request, new URL(path, deps.deployment.publicUrl));
  } catch (cause) {
    return { kind: "refused", problem: "failed", cause };
  }
  const returnTo = `${deps.deployment.publicUrl}/sign-in`;
  const signOutUrl = await endSessionUrl(provider, { idToken: claims.idToken, returnTo }).catch(() => null);
  try {
    const cookie = await deps.db.transaction(async (tx) => {
      const userId = await resolveAccount({ ...deps, tx }, { provider, claims, link: request.link });
      // The session in which the person agreed goes on.
      if (request.link) return undefined;
      const { disabledAt } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
      if (disabledAt) throw new Refused("disabled");
      const isOrganization = provider.kind === "organization";
      const session = await createSession(
        { ...deps, tx },
        {
          userId,
          client,
          // The provider asks for a second factor where that is demanded.
          secondFactorAt: deps.clock.now(),
          signOutUrl,
          ...(isOrganization && {
            identityProviderId: provider.row.id,
            onlyOrganizationId: provider.row.organizationId,
          }),
        },
      );
      return session.cookie;
    });
    const ended = requestCookie(deps, null);
    return cookie === undefined
      ? { kind: "linked", cookies: [ended], to: request.to }
      : { kind: "signed_in", cookies: [cookie, ended], to: request.to };
  } catch (error) {
    if (error instanceof Refused) return { kind: "refused", problem: error.problem };
    throw error;
  }
}

type TxDeps = { tx: Tx } & Omit<Deps, "db">;

interface Identity {
  provider: Provider;
  claims: Claims;
  link: { userId: string; sessionId: string } | null;
}

/** The account of an identity at a provider. Throws `Refused`. */
async function resolveAccount(deps: TxDeps, identity: Identity): Promise<string> {
  const { tx } = deps;
  const { provider, claims, link } = identity;
  const providerId = accountProvider(provider.key);
  const accountId = `${provider.issuer} ${claims.subject}`;
  const known = await tx.account.findUnique({ where: { providerId_accountId: { providerId, accountId } } });
  if (link && known && known.userId !== link.userId) throw new Refused("failed");
  const userId =
    known?.userId ?? (link ? await agreedAccount(deps, identity, link) : await provenAccount(deps, identity));
  if (!known) {
    const now = deps.clock.now();
    await tx.account.create({
      data: { id: newId(deps.clock), userId, providerId, accountId, createdAt: now, updatedAt: now },
    });
  }
  if (provider.kind === "organization") await applyGroups(deps, { row: provider.row, userId, claims });
  return userId;
}

/** The account of a person who was signed in when they agreed, and still is. */
async function agreedAccount(
  { tx }: TxDeps,
  { provider }: Identity,
  link: { userId: string; sessionId: string },
): Promise<string> {
  const session = await tx.session.findFirst({
    where: { id: link.sessionId, userId: link.userId, onlyOrganizationId: null },
  });
  if (!session) throw new Refused("expired");
  if (provider.kind === "organization") {
    const { organizationId } = provider.row;
    const { userId } = link;
    const member = await tx.member.findUnique({
      where: { organizationId_userId: { organizationId, userId } },
    });
    if (!member) throw new Refused("removed");
  }
  return link.userId;
}

/**
 * An identity that nobody has linked counts only if its address is proven: its domain is the organization's, by DNS, or
 * one that the operator has named. All other addresses get the same answer, whether they have an account or not.
 */
async function provenAccount(deps: TxDeps, { provider, claims }: Identity): Promise<string> {
  const { tx } = deps;
  const { email, emailVerified, name } = claims;
  if (email === null || emailVerified === false) throw new Refused("unproven");
  if (provider.kind === "organization") {
    const { organizationId } = provider.row;
    if (!(await ownsAddress(tx, { organizationId, email }))) throw new Refused("unproven");
  } else {
    // Other people may have accounts at the operator's provider: it must say that it has verified the address.
    const isNamed = provider.domains.includes(email.slice(email.lastIndexOf("@") + 1));
    if (!isNamed || emailVerified !== true) throw new Refused("unproven");
  }
  const user = await tx.user.findUnique({ where: { email } });
  const userId =
    user?.id ?? (await createUser(deps, { name: name ?? email, email, password: null, emailVerified: true }));
  if (user) {
    await lockRow(tx, { table: "users", key: { id: userId } });
    const { emailVerified: isProven } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
    // Somebody else may have registered with this address.
    if (!isProven) await takeOverAccount(deps, { userId, password: null });
  }
  if (provider.kind === "organization") await addIfMissing(deps, { row: provider.row, userId });
  return userId;
}

interface Joining {
  row: Prisma.IdentityProviderModel;
  userId: string;
}

async function addIfMissing(deps: TxDeps, { row, userId }: Joining): Promise<void> {
  const { organizationId, defaultRole } = row;
  const member = { organizationId_userId: { organizationId, userId } };
  if (await deps.tx.member.findUnique({ where: member })) return;
  await addMember(deps, { organizationId, userId }, defaultRole);
}

/** The role and the groups that the provider names. Owners stay owners, and a removed member is not added again. */
async function applyGroups(
  deps: TxDeps,
  { row, userId, claims }: Joining & { claims: Claims },
): Promise<void> {
  const { tx } = deps;
  const { organizationId, adminGroups, defaultRole } = row;
  const key = { organizationId_userId: { organizationId, userId } };
  const member = await tx.member.findUnique({ where: key });
  if (!member) throw new Refused("removed");
  const groups = claims.groups.map((group) => ({ externalId: group, name: group.slice(0, 100) }));
  await setGroupsOfMember(deps, { organizationId, userId, source: "oidc" }, groups);
  if (adminGroups.length === 0 || member.role === "owner") return;
  const role = claims.groups.some((group) => adminGroups.includes(group)) ? "admin" : defaultRole;
  if (role === member.role) return;
  await tx.member.update({ where: key, data: { role } });
  await recordAudit(
    deps,
    { organizationId, userId },
    {
      action: "member.role_changed",
      targetId: userId,
      detail: { from: member.role, to: role, by: "single sign-on" },
    },
  );
}
