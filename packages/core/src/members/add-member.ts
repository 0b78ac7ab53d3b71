import type { Tx } from "@querybell/db";
import type { Caller, Role } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";

export async function addMember(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  role: Role,
): Promise<void> {
  await tx.member.create({ data: { organizationId, userId, role, createdAt: clock.now() } });
  // An admin of another organization may hold a password reset link of this person. It must not give access here.
  await tx.verification.deleteMany({ where: { value: userId } });
  await recordAudit(
    { tx, clock },
    { organizationId, userId },
    {
      action: "member.joined",
      targetId: userId,
      detail: { role },
    },
  );
}
