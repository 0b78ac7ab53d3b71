import { AppError, type ChangePassword, type Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Also ends the person's other sessions. A database trigger deletes their password reset links. */
export async function changePassword(
  { db, auth, clock }: Deps,
  { userId, sessionId }: Person,
  { currentPassword, newPassword }: ChangePassword,
): Promise<void> {
  const { password: hasher } = await auth.$context;
  const where = { userId, providerId: "credential" };
  const { id, password } = await db.prisma.account.findFirstOrThrow({ where });
  if (password === null || !(await hasher.verify({ hash: password, password: currentPassword }))) {
    throw new AppError("invalid_request", "The current password is wrong.", {
      errors: [{ path: "currentPassword", message: "is wrong" }],
    });
  }
  const hash = await hasher.hash(newPassword);
  await db.transaction(async (tx) => {
    // Matches the hash that was verified, so of two concurrent changes the second fails.
    const { count } = await tx.account.updateMany({
      where: { id, password },
      data: { password: hash, updatedAt: clock.now() },
    });
    if (count === 0) throw new AppError("conflict", "The password has just been changed. Sign in again.");
    await tx.session.deleteMany({ where: { userId, id: { not: sessionId } } });
  });
}
