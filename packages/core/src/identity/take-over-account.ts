import type { Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { setPassword } from "./set-password.ts";

/**
 * Transfers an account to the person who has proven to own its address. Replaces the password, ends all sessions and
 * revokes all API keys: they may belong to somebody else.
 */
export async function takeOverAccount(
  deps: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  { userId, password, name }: { userId: string; password: string; name?: string },
): Promise<void> {
  const { tx, clock } = deps;
  const now = clock.now();
  await tx.user.update({
    where: { id: userId },
    data: { ...(name !== undefined && { name }), emailVerified: true, updatedAt: now },
  });
  await setPassword(deps, { userId, password });
  await tx.apiKey.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });
}
