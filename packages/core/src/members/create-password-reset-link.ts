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
import { lockRow } from "../lock-row.ts";
import { queueMail } from "../mail/mail.ts";
import { lockMember, requireOwner } from "./lock-member.ts";

/**
 * Creates a link with which a member sets a new password. An admin may create one only for people who belong to no
 * other organization, since the password gives access to all organizations of its owner.
 */
export async function createPasswordResetLink(
  deps: Deps,
  caller: Caller,
  { userId }: CreatePasswordResetLink,
): Promise<SharedLink> {
  return deps.db.transaction(async (tx) => {
    requireOwner(caller, await lockMember(tx, caller, userId));
    // A transaction that adds this person to another organization waits for this lock, then deletes the link.
    await lockRow(tx, { table: "users", key: { id: userId } });
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
  // The same row that better-auth writes for its own reset links; better-auth reads it when the link is used.
  const verification = { identifier: resetIdentifier(token), value: userId, expiresAt };
  await tx.verification.create({
    data: { id: newId(clock), ...verification, createdAt: now, updatedAt: now },
  });
  const { email } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
  const url = passwordResetUrl(deployment, token);
  const mailed = await queueMail({ tx, sealer, deployment }, userId, passwordResetMail(email, url));
  return { url, expiresAt: expiresAt.toISOString(), mailed };
}
