import { AppError, type ResetPassword } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { resetIdentifier } from "./password-reset-link.ts";
import { setPassword } from "./set-password.ts";
import { takeOverAccount } from "./take-over-account.ts";

/**
 * Sets a new password with a link, once, and ends all sessions. Whether the address is proven from then on depends on
 * who was given the link. Not better-auth's own, which does this in several transactions and knows no such difference.
 */
export async function resetPassword(deps: Deps, { token, newPassword }: ResetPassword): Promise<void> {
  const { db, clock, keyCache } = deps;
  const link = { identifier: resetIdentifier(token), expiresAt: { gt: clock.now() } };
  const userId = await db.transaction(async (tx) => {
    const found = await tx.verification.findFirst({ where: link });
    if (!found) throw linkEnded();
    const { value: userId, provesAddress } = found;
    // Locked before the link is deleted: of two links of one person that are used at once, the first ends the other.
    await lockRow(tx, { table: "users", key: { id: userId } });
    const { count } = await tx.verification.deleteMany({ where: link });
    if (count === 0) throw linkEnded();
    const { emailVerified } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
    if (provesAddress && !emailVerified) {
      await takeOverAccount({ ...deps, tx }, { userId, password: newPassword });
    } else {
      // Whoever was shown the link may be using it, so it proves nothing, and what was proven before is no longer.
      await tx.user.update({ where: { id: userId }, data: { emailVerified: provesAddress } });
      await setPassword({ ...deps, tx }, { userId, password: newPassword });
    }
    return userId;
  });
  keyCache.forgetKeysOf({ userId });
}

const linkEnded = () =>
  new AppError("invalid_request", "This link has been used already or has expired. Ask for a new one.");
