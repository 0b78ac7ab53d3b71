import { AppError, type Caller, type Person, type Role } from "@querybell/domain";
import type { Deps } from "../deps.ts";

export interface SignedIn {
  person: Person;
  /** Absent when the person is not a member of any organization. */
  caller?: Caller | undefined;
}

/**
 * Finds the person and caller of a session cookie. Not cached, so a change of role takes effect at once. With
 * `setCookies`, a session that was last renewed a day ago or earlier is renewed, and its new cookies are passed to it.
 */
export async function resolveSession(
  { auth, db }: Deps,
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
  const person = { userId: found.user.id, sessionId: found.session.id };
  const { rows } = await db.pool.query<{ organizationId: string; role: Role }>({
    name: "membership_of_session",
    text: `
      SELECT organization_id AS "organizationId", role FROM members WHERE user_id = $1
      ORDER BY (organization_id = $2) DESC NULLS LAST, created_at, organization_id LIMIT 1`,
    values: [person.userId, found.session.activeOrganizationId ?? null],
  });
  const [membership] = rows;
  if (!membership) return { person };
  const via = { kind: "session", sessionId: person.sessionId } as const;
  return { person, caller: { userId: person.userId, ...membership, via } };
}
