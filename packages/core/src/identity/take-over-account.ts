import type { Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";
import type { NewUser } from "./create-user.ts";

/**
 * Transfers an account to the person who has proven to own its address. Replaces the password, ends all sessions and
 * revokes all API keys. A database trigger deletes the password reset links.
 */
export async function takeOverAccount(
  { tx, clock, auth }: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  { userId, name, password }: Pick<NewUser, "name" | "password"> & { userId: string },
): Promise<void> {
  const { password: hasher } = await auth.$context;
  const now = clock.now();
  await tx.user.update({ where: { id: userId }, data: { name, emailVerified: true, updatedAt: now } });
  await tx.account.updateMany({
    where: { userId, providerId: "credential" },
    data: { password: await hasher.hash(password), updatedAt: now },
  });
  await tx.session.deleteMany({ where: { userId } });
  await tx.apiKey.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });
}
