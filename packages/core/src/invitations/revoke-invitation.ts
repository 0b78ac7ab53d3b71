import { AppError, type Caller, type RevokeInvitation } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";

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
