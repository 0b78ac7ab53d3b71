import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CreatePasswordResetLink,
  newId,
  type SharedLink,
} from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import {
  passwordResetMail,
  passwordResetMinutes,
  passwordResetUrl,
  resetIdentifier,
} from "../identity/password-reset-link.ts";
import { newSecretToken } from "../identity/secret-token.ts";
import { queueMail } from "../mail/mail.ts";
import { lockMember, refuseUnlessOwner } from "./lock-member.ts";

/**
 * A link with which a member sets a new password, for an admin to hand over. A password opens every
 * organization its owner belongs to, so an admin may make one only for people of this organization alone.
 */
export async function createPasswordResetLink(
  deps: Deps,
  caller: Caller,
  { userId }: CreatePasswordResetLink,
): Promise<SharedLink> {
  return deps.db.transaction(async (tx) => {
    refuseUnlessOwner(caller, await lockMember(tx, caller, userId));
    // Whoever joins another organization at this moment waits here, and then ends this link.
    await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR UPDATE`;
    if ((await tx.member.count({ where: { userId } })) > 1) {
      throw new AppError(
        "forbidden",
        "This person belongs to other organizations too. They can ask for a mail on the sign-in page, or the operator can make a link.",
      );
    }
    const link = await insertPasswordResetLink({ ...deps, tx }, userId);
    await recordAudit({ ...deps, tx }, caller, {
      action: "member.password_reset_link_created",
      targetId: userId,
    });
    return link;
  });
}

export async function insertPasswordResetLink(
  { tx, clock, sealer, deployment }: { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">,
  userId: string,
): Promise<SharedLink> {
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + passwordResetMinutes * 60_000);
  const token = newSecretToken();
  // The row that better-auth itself would write, and reads when the link is used.
  const verification = { identifier: resetIdentifier(token), value: userId, expiresAt };
  await tx.verification.create({
    data: { id: newId(clock), ...verification, createdAt: now, updatedAt: now },
  });
  const { email } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
  const url = passwordResetUrl(deployment, token);
  const mailed = await queueMail({ tx, sealer, deployment }, userId, passwordResetMail(email, url));
  return { url, expiresAt: expiresAt.toISOString(), mailed };
}
