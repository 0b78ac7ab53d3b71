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
