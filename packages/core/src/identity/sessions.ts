import {
  AppError,
  type BlockedOrganization,
  type Caller,
  type Me,
  type Person,
  type Role,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { isDeploymentAdmin } from "../operations/deployment-admins.ts";
import { listMemberships } from "../organizations/organizations.ts";
import { toClient } from "./client.ts";
import { findFailedSignIns } from "./sign-in.ts";

export interface SignedIn {
  person: Person;
  /** Absent when the person is not a member of any organization, or the session does not open it. */
  caller?: Caller | undefined;
  /** Set if the session does not open its active organization. */
  blocked?: BlockedOrganization | undefined;
}

/**
 * Finds the person and caller of a session cookie. Not cached, so a change of role takes effect at once. With
 * `setCookies`, a session that was last renewed a day ago or earlier is renewed, and its new cookies are passed to it.
 * Writes the session's last use, at most once a minute.
 */
export async function resolveSession(
  { auth, db, clock }: Deps,
  headers: Headers,
  setCookies?: (cookies: string[]) => void,
): Promise<SignedIn | undefined> {
  const query = { disableRefresh: !setCookies };
  const answer = await auth.api.getSession({ headers, query, returnHeaders: true }).catch((cause) => {
    // better-auth hides the cause: the database is unavailable, or the session was deleted while it was renewed.
    throw new AppError("unavailable", "Sessions cannot be read at the moment. Try again shortly.", { cause });
  });
  const found = answer.response;
  if (!found) return undefined;
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) setCookies?.(cookies);
  const { onlyOrganizationId } = found.session;
  const person = {
    userId: found.user.id,
    sessionId: found.session.id,
    ...(onlyOrganizationId && { onlyOrganizationId }),
  };
  const client = toClient(headers);
  const { rows } = await db.pool.query<Membership>({
    name: "membership_of_session",
    text: `
      WITH used AS (
        UPDATE sessions SET last_used_at = $4, ip_address = coalesce($5, ip_address), user_agent = coalesce($6, user_agent)
        WHERE id = $3 AND (last_used_at IS NULL OR last_used_at <= $4::timestamptz - interval '1 minute')
      )
      SELECT organization_id AS "organizationId", role, session_blocked_by($3, organization_id, role) AS "blockedBy"
      FROM members WHERE user_id = $1
      ORDER BY (organization_id = $2) DESC NULLS LAST, created_at, organization_id LIMIT 1`,
    values: [
      person.userId,
      found.session.activeOrganizationId ?? null,
      person.sessionId,
      clock.now(),
      client.address,
      client.userAgent,
    ],
  });
  const [first] = rows;
  if (!first) return { person };
  const { blockedBy, ...membership } = first;
  if (blockedBy) return { person, blocked: { organizationId: membership.organizationId, by: blockedBy } };
  const via = { kind: "session", sessionId: person.sessionId } as const;
  return { person, caller: { userId: person.userId, ...membership, via } };
}

interface Membership {
  organizationId: string;
  role: Role;
  blockedBy: BlockedOrganization["by"] | null;
}

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
        ) m ON session_blocked_by(s.id, m.organization_id, m.role) IS NULL
        WHERE s.id = ANY($1::uuid[]) AND s.expires_at > querybell_now()`,
      values: [sessionIds],
    }),
  ]);
  return {
    keys: new Set(keys.rows.map(({ id }) => id)),
    sessions: new Map(sessions.rows.map(({ id, ...access }) => [id, access])),
  };
}

/** The signed-in user, their active organization and all their memberships. */
export async function describePerson(deps: Deps, { person, caller, blocked }: SignedIn): Promise<Me> {
  const [user, memberships, failedSignIns, reset] = await Promise.all([
    deps.db.prisma.user.findUniqueOrThrow({ where: { id: person.userId } }),
    listMemberships(deps, person),
    findFailedSignIns(deps, person),
    deps.db.prisma.factorReset.findUnique({ where: { userId: person.userId } }),
  ]);
  const { id, name, email, hidesFirstSteps } = user;
  const seen = caller?.seenBy === undefined ? undefined : caller;
  const seenUser = seen && (await deps.db.prisma.user.findUniqueOrThrow({ where: { id: seen.userId } }));
  return {
    user: { id, name, email },
    organizationId: caller?.organizationId ?? null,
    memberships,
    canCreateOrganization: deps.deployment.organizationCreation === "anybody",
    isDeploymentAdmin: isDeploymentAdmin(deps, person, user),
    hidesFirstSteps,
    limitedTo: person.onlyOrganizationId ?? null,
    failedSignIns: person.onlyOrganizationId === undefined ? failedSignIns : null,
    factorResetAt: reset?.effectiveAt.toISOString() ?? null,
    blocked: blocked ?? null,
    seesAs: seen && seenUser ? { userId: seen.userId, name: seenUser.name, role: seen.role } : null,
  };
}
