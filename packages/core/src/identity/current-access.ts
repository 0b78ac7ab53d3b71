import type { Role } from "@querybell/domain";
import type { Deps } from "../deps.ts";

interface AccessIds {
  keyIds: string[];
  sessionIds: string[];
}

interface SessionAccess {
  organizationId: string | null;
  role: Role | null;
}

export interface CurrentAccess {
  /** Keys that are neither revoked nor expired, and whose owner is still a member. */
  keys: ReadonlySet<string>;
  /** Sessions that have not ended, with their active organization. */
  sessions: ReadonlyMap<string, SessionAccess>;
}

/** Reads the current access of keys and sessions, uncached, in two statements. */
export async function readCurrentAccess(
  { db }: Pick<Deps, "db">,
  { keyIds, sessionIds }: AccessIds,
): Promise<CurrentAccess> {
  const [keys, sessions] = await Promise.all([
    db.pool.query<{ id: string }>({
      name: "keys_with_access",
      text: `
        SELECT k.id FROM api_keys k JOIN members m USING (organization_id, user_id)
        WHERE k.id = ANY($1::uuid[]) AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > querybell_now())`,
      values: [keyIds],
    }),
    db.pool.query<SessionAccess & { id: string }>({
      name: "sessions_with_access",
      text: `
        SELECT s.id, m.organization_id AS "organizationId", m.role FROM sessions s
        LEFT JOIN LATERAL (
          SELECT organization_id, role FROM members WHERE user_id = s.user_id
          ORDER BY (organization_id = s.active_organization_id) DESC NULLS LAST, created_at, organization_id LIMIT 1
        ) m ON true
        WHERE s.id = ANY($1::uuid[]) AND s.expires_at > querybell_now()`,
      values: [sessionIds],
    }),
  ]);
  return {
    keys: new Set(keys.rows.map(({ id }) => id)),
    sessions: new Map(sessions.rows.map(({ id, ...access }) => [id, access])),
  };
}
