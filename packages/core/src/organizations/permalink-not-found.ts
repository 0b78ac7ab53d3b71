import { AppError, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";

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
