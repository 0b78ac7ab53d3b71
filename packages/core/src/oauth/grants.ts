import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type ConnectedProgram,
  type ConnectedProgramId,
  type Person,
  Scope,
} from "@querybell/domain";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";

interface Ending {
  /** Why it ends, for the audit log. */
  reason: "person" | "admin" | "program" | "code_used_twice" | "refresh_token_used_twice";
  /** Who ends it; absent: the program, for its person. */
  actor?: Actor;
}

/** Ends a grant and its tokens, unless it has ended. A trigger ends its subscriptions to events. */
export async function endGrant(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  id: string,
  { reason, actor }: Ending,
): Promise<void> {
  const [ended] = await tx.apiKey.updateManyAndReturn({
    where: { id, clientId: { not: null }, revokedAt: null },
    data: { revokedAt: clock.now() },
  });
  if (!ended) return;
  await tx.oauthToken.deleteMany({ where: { grantId: id, kind: "access" } });
  await recordAudit({ tx, clock }, actor ?? ended, {
    action: "program.disconnected",
    targetId: id,
    detail: { name: ended.name, host: ended.clientHost, reason },
  });
}

/** The programs that are connected now, of the organization. */
export const listPrograms = (deps: Deps, { organizationId }: Caller): Promise<ConnectedProgram[]> =>
  findPrograms(deps, { organizationId });

/** The programs that a person has connected, in all organizations that the session opens. */
export const listOwnPrograms = (deps: Deps, person: Person): Promise<ConnectedProgram[]> =>
  findPrograms(deps, ofPerson(person));

const ofPerson = ({ userId, onlyOrganizationId: organizationId }: Person) => ({
  userId,
  ...(organizationId !== undefined && { organizationId }),
});

const maxListed = 500;

async function findPrograms(
  { db, clock }: Deps,
  where: { organizationId?: string; userId?: string },
): Promise<ConnectedProgram[]> {
  const rows = await db.prisma.apiKey.findMany({
    where: { ...where, clientId: { not: null }, revokedAt: null, expiresAt: { gt: clock.now() } },
    include: { member: { include: { user: true, organization: true } } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: maxListed,
  });
  return rows.map(toProgram);
}

type GrantRow = Prisma.ApiKeyModel & {
  member: { user: Prisma.UserModel; organization: Prisma.OrganizationModel };
};

const toProgram = (row: GrantRow): ConnectedProgram => ({
  id: row.id,
  program: { name: row.name, host: row.clientHost ?? "" },
  organization: { id: row.organizationId, name: row.member.organization.name },
  owner: { userId: row.userId, name: row.member.user.name },
  scopes: Scope.array().parse(row.scopes),
  createdAt: row.createdAt.toISOString(),
  expiresAt: (row.expiresAt ?? row.createdAt).toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
});

/** An admin disconnects a program of anybody. This process refuses it at once, every other within five seconds. */
export const revokeProgram = (deps: Deps, caller: Caller, { id }: ConnectedProgramId): Promise<void> =>
  disconnect(deps, { id, organizationId: caller.organizationId }, { reason: "admin", actor: caller });

/** A person disconnects a program of theirs. */
export const disconnectProgram = (deps: Deps, person: Person, { id }: ConnectedProgramId): Promise<void> =>
  disconnect(deps, { id, ...ofPerson(person) }, { reason: "person" });

async function disconnect(
  deps: Deps,
  where: { id: string; organizationId?: string; userId?: string },
  ending: Ending,
): Promise<void> {
  const { userId } = await deps.db.transaction(async (tx) => {
    const found = await tx.apiKey.findFirst({
      where: { ...where, clientId: { not: null }, revokedAt: null },
    });
    if (!found) throw new AppError("not_found", "There is no such program. It may be disconnected already.");
    await endGrant({ ...deps, tx }, found.id, ending);
    return found;
  });
  deps.keyCache.forgetKeysOf({ userId });
}
