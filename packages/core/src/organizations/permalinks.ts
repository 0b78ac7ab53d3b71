import { randomInt } from "node:crypto";
import { asService } from "@querybell/db";
import {
  AppError,
  type Caller,
  type LocatePermalink,
  type PermalinkLocation,
  type Person,
  shortIdAlphabet,
  shortIdLength,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** 50 random bits: with a million references, a new one collides with a probability of one in a billion. */
export const newShortId = (): string =>
  Array.from({ length: shortIdLength }, () => shortIdAlphabet[randomInt(shortIdAlphabet.length)]).join("");

/** The permalink of an automation run's chat. */
export const chatUrl = ({ deployment }: Pick<Deps, "deployment">, { shortId }: { shortId: string }): string =>
  `${deployment.publicUrl}/chats/${shortId}`;

interface Located {
  organizationId: string;
  name: string;
  /** Whether the person sees it there. */
  isSeen: boolean;
}

const statements: Record<LocatePermalink["kind"], string> = {
  reference: `
    SELECT o.id AS "organizationId", o.name, querybell_sees_reference(o.id, $2, r.id) AS "isSeen"
    FROM query_references r JOIN members m ON m.organization_id = r.organization_id AND m.user_id = $2
      JOIN organizations o ON o.id = r.organization_id
    WHERE r.short_id = $1 AND r.deleted_at IS NULL`,
  chat: `
    SELECT o.id AS "organizationId", o.name, querybell_sees_automation(o.id, $2, r.automation_id) AS "isSeen"
    FROM automation_runs r JOIN members m ON m.organization_id = r.organization_id AND m.user_id = $2
      JOIN organizations o ON o.id = r.organization_id
    WHERE r.short_id = $1`,
};

/** Finds which of the person's organizations owns a permalink. Null if none of them does, or if they may not see it. */
export async function locatePermalink(
  { db }: Pick<Deps, "db">,
  { userId, onlyOrganizationId }: Pick<Person, "userId" | "onlyOrganizationId">,
  { kind, shortId }: LocatePermalink,
): Promise<PermalinkLocation> {
  // The rights of the request are those in one organization. The statement asks for those in the owning one.
  const { rows } = await asService(() =>
    db.pool.query<Located>({
      name: `locate_${kind}`,
      text: statements[kind],
      values: [shortId, userId],
    }),
  );
  const [found] = rows;
  const isOpen = onlyOrganizationId === undefined || onlyOrganizationId === found?.organizationId;
  return found?.isSeen && isOpen ? { organizationId: found.organizationId, name: found.name } : null;
}

/**
 * The error for a permalink that does not exist in the caller's organization. For somebody who is signed in and sees it in
 * another organization of theirs, the error says to switch. Others get the same error as for an unknown permalink.
 */
export async function permalinkNotFound(
  deps: Pick<Deps, "db">,
  { userId, via, organizationId }: Caller,
  { otherwise, ...named }: LocatePermalink & { otherwise: AppError },
): Promise<AppError> {
  const found = via.kind === "session" ? await locatePermalink(deps, { userId }, named) : null;
  if (!found || found.organizationId === organizationId) return otherwise;
  return new AppError(
    "not_found",
    `This is in your organization "${found.name}". Switch to it, then open this again.`,
  );
}
