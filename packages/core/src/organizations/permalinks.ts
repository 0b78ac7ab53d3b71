import { randomInt } from "node:crypto";
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

const tables: Record<LocatePermalink["kind"], string> = {
  reference: "query_references WHERE deleted_at IS NULL",
  chat: "automation_runs WHERE true",
};

/** Finds which of the person's organizations owns a permalink. Null if none of them does. */
export async function locatePermalink(
  { db }: Pick<Deps, "db">,
  { userId, onlyOrganizationId }: Pick<Person, "userId" | "onlyOrganizationId">,
  { kind, shortId }: LocatePermalink,
): Promise<PermalinkLocation> {
  const { rows } = await db.pool.query<NonNullable<PermalinkLocation>>({
    name: `locate_${kind}`,
    text: `
      SELECT o.id AS "organizationId", o.name
      FROM (SELECT organization_id FROM ${tables[kind]} AND short_id = $1) AS found
      JOIN members m ON m.organization_id = found.organization_id AND m.user_id = $2
      JOIN organizations o ON o.id = found.organization_id AND o.id = coalesce($3, o.id)`,
    values: [shortId, userId, onlyOrganizationId ?? null],
  });
  return rows[0] ?? null;
}

interface Missing {
  /** The organization that owns the permalink; undefined if none does. */
  organizationId: string | undefined;
  otherwise: AppError;
}

/**
 * The error for a permalink that does not exist in the caller's organization. For a signed-in member of the
 * organization that owns it, the error says to switch. Others get the same error as for an unknown permalink.
 */
export async function permalinkNotFound(
  { db }: Pick<Deps, "db">,
  { userId, via }: Caller,
  { organizationId, otherwise }: Missing,
): Promise<AppError> {
  if (organizationId === undefined || via.kind !== "session") return otherwise;
  const membership = await db.prisma.member.findFirst({
    where: { userId, organizationId },
    select: { organization: { select: { name: true } } },
  });
  if (!membership) return otherwise;
  const { name } = membership.organization;
  return new AppError(
    "not_found",
    `This is in your organization "${name}". Switch to it, then open this again.`,
  );
}
