import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CreatedInvitation,
  type CreateInvitation,
  newId,
} from "@querybell/domain";
import { type Actor, recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { hashToken, newSecretToken } from "../identity/secret-token.ts";
import { queueMail } from "../mail/mail.ts";
import { refuseUnlessOwner } from "../members/lock-member.ts";
import { toInvitation } from "./invitation-row.ts";

const validForMs = 7 * 24 * 60 * 60 * 1000;

/** Invites somebody, or gives a new link to somebody invited before; the old link then ends. */
export async function createInvitation(
  deps: Deps,
  caller: Caller,
  input: CreateInvitation,
): Promise<CreatedInvitation> {
  refuseUnlessOwner(caller, input.role);
  return deps.db.transaction((tx) => insertInvitation({ ...deps, tx }, caller, input));
}

export async function insertInvitation(
  { tx, clock, sealer, deployment }: { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">,
  { organizationId, userId }: Actor,
  { email, role }: CreateInvitation,
): Promise<CreatedInvitation> {
  const now = clock.now();
  // Whoever invites the same address at the same moment takes turns here, and the later link counts. The lock
  // is the one that foreign keys to the organization pass: somebody who is just accepting holds such a key.
  await tx.$queryRaw`SELECT 1 FROM organizations WHERE id = ${organizationId}::uuid FOR NO KEY UPDATE`;
  await tx.invitation.updateMany({
    where: { organizationId, email, acceptedAt: null, revokedAt: null },
    data: { revokedAt: now },
  });
  // Only now: ending the old link has waited for whoever was accepting it.
  if (await tx.member.count({ where: { organizationId, user: { email } } })) {
    throw new AppError("conflict", `${email} is a member of this organization already.`);
  }
  const token = newSecretToken();
  const row = await tx.invitation.create({
    data: {
      id: newId(clock),
      organizationId,
      email,
      role,
      tokenHash: hashToken(token),
      createdBy: userId,
      createdAt: now,
      expiresAt: new Date(now.getTime() + validForMs),
    },
    include: { organization: true },
  });
  await recordAudit(
    { tx, clock },
    { organizationId, userId },
    {
      action: "invitation.created",
      targetId: row.id,
      detail: { email, role },
    },
  );
  // After the # a browser sends nothing: the token stays out of every log on the way.
  const url = `${deployment.publicUrl}/invitation#${token}`;
  const mailed = await queueMail(
    { tx, sealer, deployment },
    organizationId,
    invitationMail(email, row.organization.name, url),
  );
  const invitation = toInvitation(row);
  return { ...invitation, link: { url, expiresAt: invitation.expiresAt, mailed } };
}

const invitationMail = (to: string, organization: string, url: string) => ({
  to,
  subject: `Join ${organization} on Querybell`,
  text: [
    `You have been invited to ${organization} on Querybell. Open this link within seven days to join:`,
    url,
    "If you do not know the sender, ignore this mail.",
  ].join("\n\n"),
});
