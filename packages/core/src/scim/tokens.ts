import type { Role } from "@querybell/domain";
import { type Caller, type CreatedScimToken, newId, type ScimState } from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { hashToken, newSecretToken } from "../identity/secret-token.ts";
import { requireOwnerRole } from "../single-sign-on/domains.ts";

/** The organization of a token. Changes are recorded as those of the owner who has created it. */
export interface Provisioner {
  organizationId: string;
  userId: string;
  /** Of members whom provisioning adds. */
  defaultRole: Role;
}

const baseUrl = ({ deployment }: Pick<Deps, "deployment">) => `${deployment.publicUrl}/api/scim/v2`;

export async function getScimState(deps: Deps, { organizationId }: Caller): Promise<ScimState> {
  const [token, users] = await Promise.all([
    deps.db.prisma.scimToken.findUnique({ where: { organizationId } }),
    deps.db.prisma.scimUser.count({ where: { organizationId } }),
  ]);
  return {
    token: token && {
      createdAt: token.createdAt.toISOString(),
      lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
      url: baseUrl(deps),
    },
    users,
  };
}

/** Creates the organization's token, and replaces an earlier one. Only owners: it can remove members, also owners. */
export async function createScimToken(deps: Deps, caller: Caller): Promise<CreatedScimToken> {
  requireOwnerRole(caller);
  const { organizationId, userId } = caller;
  const text = `qbscim_${newSecretToken()}`;
  await deps.db.transaction(async (tx) => {
    const content = {
      id: newId(deps.clock),
      tokenHash: hashToken(text),
      createdBy: userId,
      createdAt: deps.clock.now(),
    };
    await tx.scimToken.upsert({
      where: { organizationId },
      create: { organizationId, ...content },
      update: { ...content, lastUsedAt: null },
    });
    await recordAudit({ ...deps, tx }, caller, { action: "scim_token.created", targetId: content.id });
  });
  return { text, url: baseUrl(deps) };
}

export async function deleteScimToken(deps: Deps, caller: Caller): Promise<void> {
  requireOwnerRole(caller);
  const { organizationId } = caller;
  await deps.db.transaction(async (tx) => {
    const [token] = await tx.$queryRaw<{ id: string }[]>`
      DELETE FROM scim_tokens WHERE organization_id = ${organizationId}::uuid RETURNING id`;
    if (token)
      await recordAudit({ ...deps, tx }, caller, { action: "scim_token.deleted", targetId: token.id });
  });
}

const tokenText = /^qbscim_[A-Za-z0-9_-]{43}$/;

/** The organization of a token. Undefined if it is unknown. Not cached, so a replaced token ends at once. */
export async function verifyScimToken({ db, clock }: Deps, text: string): Promise<Provisioner | undefined> {
  if (!tokenText.test(text)) return undefined;
  const { rows } = await db.pool.query<Provisioner>({
    name: "verify_scim_token",
    text: `
      WITH used AS (
        UPDATE scim_tokens SET last_used_at = $2
        WHERE token_hash = $1 AND (last_used_at IS NULL OR last_used_at <= $2::timestamptz - interval '1 minute')
      )
      SELECT t.organization_id AS "organizationId", t.created_by AS "userId",
        coalesce((SELECT p.default_role FROM identity_providers p WHERE p.organization_id = t.organization_id), 'member')
          AS "defaultRole"
      FROM scim_tokens t WHERE t.token_hash = $1`,
    values: [Buffer.from(hashToken(text)), clock.now()],
  });
  return rows[0];
}
