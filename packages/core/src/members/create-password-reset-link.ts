import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CreatePasswordResetLink,
  newId,
  type SharedLink,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import {
  passwordResetExpiry,
  passwordResetMail,
  passwordResetUrl,
  resetIdentifier,
} from "../identity/password-reset-link.ts";
import { newSecretToken } from "../identity/secret-token.ts";
import { lockRow } from "../lock-row.ts";
import { queueMail } from "../mail.ts";
import { lockMember, requireOwner } from "./members.ts";

/**
 * Creates a link with which a member sets a new password. An admin may create one only for people who belong
 * to no other organization, since the password gives access to all organizations of its owner. The admin
 * could use the link, so its use leaves the address unproven.
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
    const { serviceOrganizationId } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
    if (serviceOrganizationId !== null) {
      throw new AppError("forbidden", "A service account has no password. Create an API key for it instead.");
    }
    if ((await tx.member.count({ where: { userId } })) > 1) {
      throw new AppError(
        "forbidden",
        "This person belongs to other organizations too. They can ask for a mail on the sign-in page, or the operator can make a link.",
      );
    }
    const link = await insertPasswordResetLink({ ...deps, tx }, { userId, provesAddress: false });
    await recordAudit({ ...deps, tx }, caller, {
      action: "member.password_reset_link_created",
      targetId: userId,
    });
    return link;
  });
}

interface PasswordResetLink {
  userId: string;
  /** Whether using the link that is shown proves the address. */
  provesAddress: boolean;
}

/** Creates a link to show and, if there is an email server, another one that is mailed and proves the address. */
export async function insertPasswordResetLink(
  { tx, clock, sealer, deployment }: { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">,
  { userId, provesAddress }: PasswordResetLink,
): Promise<SharedLink> {
  const now = clock.now();
  const expiresAt = passwordResetExpiry(clock);
  const insertLink = async (link: { provesAddress: boolean }): Promise<string> => {
    const token = newSecretToken();
    // The same row that better-auth writes for its own reset links.
    const verification = { ...link, identifier: resetIdentifier(token), value: userId, expiresAt };
    await tx.verification.create({
      data: { id: newId(clock), ...verification, createdAt: now, updatedAt: now },
    });
    return passwordResetUrl(deployment, token);
  };
  const url = await insertLink({ provesAddress });
  if (deployment.sendsMail) {
    const { email } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
    const mail = passwordResetMail(email, await insertLink({ provesAddress: true }));
    await queueMail({ tx, sealer, deployment }, userId, mail);
  }
  return { url, expiresAt: expiresAt.toISOString(), mailed: deployment.sendsMail };
}
