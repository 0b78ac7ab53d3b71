import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type FactorReset,
  type Person,
  type RequestFactorReset,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { type Mail, queueMail } from "../mail.ts";
import { lockMember, requireOwner } from "../members/members.ts";
import { auditPerson, hasFactors, removeFactors } from "./factors.ts";

/** Long enough for the person to see the notice, and to cancel a reset that they did not ask for. */
const waitingDays = 3;

/**
 * An admin asks to remove the second factor of a member who has lost it. It happens after a waiting time; the member is
 * told at once and can cancel it. As with passwords, only for people who belong to no other organization.
 */
export async function requestFactorReset(
  deps: Deps,
  caller: Caller,
  { userId }: RequestFactorReset,
): Promise<FactorReset> {
  const now = deps.clock.now();
  const effectiveAt = new Date(now.getTime() + waitingDays * 86_400_000);
  return deps.db.transaction(async (tx) => {
    requireOwner(caller, await lockMember(tx, caller, userId));
    // A transaction that adds this person to another organization waits for this lock, then deletes the request.
    await lockRow(tx, { table: "users", key: { id: userId } });
    if ((await tx.member.count({ where: { userId } })) > 1) {
      throw new AppError(
        "forbidden",
        "This person belongs to other organizations too. The operator can remove their second factor.",
      );
    }
    if (!(await hasFactors(tx, userId))) {
      throw new AppError("conflict", "This person has no second factor. There is nothing to reset.");
    }
    const existing = await tx.factorReset.findUnique({ where: { userId } });
    if (existing) return { effectiveAt: existing.effectiveAt.toISOString() };
    await tx.factorReset.create({
      data: {
        userId,
        organizationId: caller.organizationId,
        requestedBy: caller.userId,
        requestedAt: now,
        effectiveAt,
      },
    });
    await recordAudit({ ...deps, tx }, caller, {
      action: "member.second_factor_reset_requested",
      targetId: userId,
      detail: { effectiveAt: effectiveAt.toISOString() },
    });
    const { email } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
    await queueMail({ ...deps, tx }, userId, noticeMail(email, effectiveAt));
    return { effectiveAt: effectiveAt.toISOString() };
  });
}

const noticeMail = (to: string, effectiveAt: Date): Mail => ({
  to,
  subject: "Your second factor for Querybell will be removed",
  text: [
    `An admin of your organization has asked to remove your second factor. From ${effectiveAt.toISOString()} on, your password alone signs you in.`,
    "If you did not ask for it, sign in with your second factor before that time, and cancel it in your account.",
  ].join("\n\n"),
});

export async function cancelFactorReset(deps: Deps, { userId }: Person): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { count } = await tx.factorReset.deleteMany({ where: { userId } });
    if (count === 0) throw new AppError("not_found", "No reset is planned.");
    await auditPerson({ ...deps, tx }, { userId }, { action: "member.second_factor_reset_cancelled" });
  });
}

/** At sign-in: removes the factors if the waiting time of a reset is over. */
export async function applyDueReset(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  userId: string,
): Promise<void> {
  const due = await tx.factorReset.findUnique({ where: { userId, effectiveAt: { lte: clock.now() } } });
  if (!due) return;
  await lockRow(tx, { table: "users", key: { id: userId } });
  if (!(await tx.factorReset.findUnique({ where: { userId } }))) return;
  await removeFactors(tx, userId);
  await auditPerson(
    { tx, clock },
    { userId, actorUserId: due.requestedBy },
    { action: "member.second_factor_reset" },
  );
}
