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
  // Somebody else may hold a link to set this person's password. It must not open one organization more.
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
