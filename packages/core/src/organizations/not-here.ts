import { AppError, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";

interface Missing {
  /** Where the thing is, if it is anywhere. */
  organizationId: string | undefined;
  otherwise: AppError;
}

/**
 * The refusal of a permalink that opens nothing in the caller's organization. Who is signed in and belongs to the
 * one where it opens is told to switch there; to everybody else it is as if there were nothing at all.
 */
export async function notHere(
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
