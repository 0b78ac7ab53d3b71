import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CreatedInvitation,
  type CreateInvitation,
  type Invitation,
  newId,
  type RevokeInvitation,
} from "@querybell/domain";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { hashToken, newSecretToken } from "../identity/secret-token.ts";
import { lockRow } from "../lock-row.ts";
import { queueMail } from "../mail.ts";
import { requireOwner } from "../members/members.ts";

const dayMs = 24 * 60 * 60 * 1000;
const validForMs = 7 * dayMs;
// Every invitation may send a mail, so they are limited to prevent spam.
const maxPerDay = { organization: 100, address: 5 };

/** Creates an invitation. Earlier open invitations of the same address are revoked. */
export async function createInvitation(
  deps: Deps,
  caller: Caller,
  input: CreateInvitation,
): Promise<CreatedInvitation> {
  requireOwner(caller, input.role);
  return deps.db.transaction(async (tx) => {
    // Serializes invitations of one organization: the limits hold, and of two links for one address the later works.
    // NO KEY UPDATE does not block a transaction that accepts an invitation, which inserts a member.
    await lockRow(tx, {
      table: "organizations",
      key: { id: caller.organizationId },
      strength: "NO KEY UPDATE",
    });
    await refuseTooMany(tx, caller.organizationId, { email: input.email, now: deps.clock.now() });
    return insertInvitation({ ...deps, tx }, caller, input);
  });
}

export async function insertInvitation(
  { tx, clock, sealer, deployment }: { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">,
  { organizationId, userId }: Actor,
  { email, role }: CreateInvitation,
): Promise<CreatedInvitation> {
  const now = clock.now();
  await tx.invitation.updateMany({
    where: { organizationId, email, acceptedAt: null, revokedAt: null },
    data: { revokedAt: now },
  });
  // Checked after the update above, which waits for a transaction that accepts the old link.
  if (await tx.member.count({ where: { organizationId, user: { email } } })) {
    throw new AppError("conflict", `${email} is a member of this organization already.`);
  }
  const token = newSecretToken();
  // A second token that only the mail contains: using it proves that the person owns the address.
  const mailToken = deployment.sendsMail ? newSecretToken() : undefined;
  const row = await tx.invitation.create({
    data: {
      id: newId(clock),
      organizationId,
      email,
      role,
      tokenHash: hashToken(token),
      ...(mailToken && { mailTokenHash: hashToken(mailToken) }),
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
  // Browsers do not send the fragment, so the token appears in no server log.
  const urlWith = (secret: string) => `${deployment.publicUrl}/invitation#${secret}`;
  if (mailToken) {
    const mail = invitationMail(email, row.organization.name, urlWith(mailToken));
    await queueMail({ tx, sealer, deployment }, organizationId, mail);
  }
  const invitation = toInvitation(row);
  const link = { url: urlWith(token), expiresAt: invitation.expiresAt, mailed: mailToken !== undefined };
  return { ...invitation, link };
}

async function refuseTooMany(
  tx: Tx,
  organizationId: string,
  { email, now }: { email: string; now: Date },
): Promise<void> {
  const lastDay = { organizationId, createdAt: { gt: new Date(now.getTime() - dayMs) } };
  const counts = {
    organization: await tx.invitation.count({ where: lastDay }),
    address: await tx.invitation.count({ where: { ...lastDay, email } }),
  };
  const refuse = (sentence: string) =>
    new AppError("rate_limited", sentence, { retryAfterSeconds: dayMs / 1000 });
  if (counts.organization >= maxPerDay.organization) {
    throw refuse(`An organization can invite ${maxPerDay.organization} times a day. Go on tomorrow.`);
  }
  if (counts.address >= maxPerDay.address) {
    throw refuse(`${email} was invited ${maxPerDay.address} times within a day. Try again tomorrow.`);
  }
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

/** Lists the open invitations, newest first. */
export async function listInvitations(
  { db, clock }: Deps,
  { organizationId }: Caller,
): Promise<Invitation[]> {
  const rows = await db.prisma.invitation.findMany({
    where: { organizationId, acceptedAt: null, revokedAt: null, expiresAt: { gt: clock.now() } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return rows.map(toInvitation);
}

export async function revokeInvitation(
  { db, clock }: Deps,
  caller: Caller,
  { id }: RevokeInvitation,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [revoked] = await tx.invitation.updateManyAndReturn({
      where: { id, organizationId: caller.organizationId, acceptedAt: null, revokedAt: null },
      data: { revokedAt: clock.now() },
    });
    if (!revoked) throw new AppError("not_found", "There is no such open invitation.");
    await recordAudit({ tx, clock }, caller, {
      action: "invitation.revoked",
      targetId: id,
      detail: { email: revoked.email },
    });
  });
}

/** An invitation for admins: everything but its token. */
const toInvitation = (row: Prisma.InvitationModel): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});
