import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  MemberAttributes,
  type MemberId,
  type SetAttributes,
} from "@querybell/domain";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockMember } from "./members.ts";

export async function getAttributes(
  { db }: Deps,
  { organizationId }: Caller,
  { userId }: MemberId,
): Promise<MemberAttributes> {
  const row = await db.prisma.member.findFirst({ where: { organizationId, userId } });
  if (!row) throw new AppError("not_found", "There is no such member in this organization.");
  return MemberAttributes.parse(row.attributes);
}

/** Replaces what is said about a member, for placeholders. It applies within five seconds in every process. */
export async function setAttributes(
  { db, clock, rights }: Deps,
  caller: Caller,
  { userId, attributes }: SetAttributes,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockMember(tx, caller, userId);
    await setAttributesOfMember({ tx, clock }, caller, { userId, attributes });
  });
  rights.forget(caller);
}

/** The same in a transaction, also for what an identity provider says. */
export async function setAttributesOfMember(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  actor: Actor,
  { userId, attributes }: SetAttributes,
): Promise<void> {
  const { organizationId } = actor;
  const data: Prisma.InputJsonObject = { ...attributes };
  await tx.member.update({
    where: { organizationId_userId: { organizationId, userId } },
    data: { attributes: data },
  });
  await recordAudit({ tx, clock }, actor, {
    action: "member.attributes_changed",
    targetId: userId,
    detail: { ...attributes },
  });
}
