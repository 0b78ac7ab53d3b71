import { AppError, type Caller, type PresentedKey, Scope } from "@querybell/domain";
import type { Deps } from "../deps.ts";

interface KeyRow {
  id: string;
  name: string;
  scopes: string[];
  expiresAt: Date | null;
  organizationName: string;
  userId: string;
  userName: string;
  email: string;
}

/** The organization, owner and scopes of the key of the request. */
export async function describeKey(
  { db }: Deps,
  { organizationId }: Caller,
  keyId: string,
): Promise<PresentedKey> {
  const { rows } = await db.pool.query<KeyRow>({
    name: "describe_key",
    text: `
      SELECT k.id, k.name, k.scopes, k.expires_at AS "expiresAt", o.name AS "organizationName", u.id AS "userId",
        u.name AS "userName", u.email
      FROM api_keys k JOIN organizations o ON o.id = k.organization_id JOIN users u ON u.id = k.user_id
      WHERE k.id = $1 AND k.organization_id = $2`,
    values: [keyId, organizationId],
  });
  const [row] = rows;
  if (!row) throw new AppError("unauthorized", "This API key has been revoked.");
  return {
    id: row.id,
    name: row.name,
    organization: { id: organizationId, name: row.organizationName },
    user: { id: row.userId, name: row.userName, email: row.email },
    scopes: Scope.array().parse(row.scopes),
    expiresAt: row.expiresAt?.toISOString() ?? null,
  };
}
