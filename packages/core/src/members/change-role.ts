import type { Caller, ChangeRole } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { lockMember, requireOwner } from "./lock-member.ts";

/** Takes effect at once for sessions, and within five seconds in every process for the member's keys. */
export async function changeRole(
  { db, clock, keyCache }: Deps,
  caller: Caller,
  { userId, role }: ChangeRole,
): Promise<void> {
  const { organizationId } = caller;
  await db.transaction(async (tx) => {
    const from = await lockMember(tx, caller, userId);
    requireOwner(caller, from, role);
    if (from === role) return;
    await tx.member.update({ where: { organizationId_userId: { organizationId, userId } }, data: { role } });
    await recordAudit({ tx, clock }, caller, {
      action: "member.role_changed",
      targetId: userId,
      detail: { from, to: role },
    });
  });
  keyCache.forgetKeysOf({ userId });
}
