import type { Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";

/** Replaces the password and ends all sessions. A database trigger deletes the password reset links. */
export async function setPassword(
  { tx, clock, auth }: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  { userId, password }: { userId: string; password: string },
): Promise<void> {
  const { password: hasher } = await auth.$context;
  await tx.account.updateMany({
    where: { userId, providerId: "credential" },
    data: { password: await hasher.hash(password), updatedAt: clock.now() },
  });
  await tx.session.deleteMany({ where: { userId } });
}
