import type { Caller, RemoveMember } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { lockMember, requireOwner } from "./lock-member.ts";

/** Removes a member from the organization. Their keys of this organization are deleted with the membership. */
export async function removeMember(deps: Deps, caller: Caller, { userId }: RemoveMember): Promise<void> {
  const { organizationId } = caller;
  await deps.db.transaction(async (tx) => {
    const role = await lockMember(tx, caller, userId);
    if (userId !== caller.userId) requireOwner(caller, role);
    await tx.member.delete({ where: { organizationId_userId: { organizationId, userId } } });
    await recordAudit({ ...deps, tx }, caller, {
      action: "member.removed",
      targetId: userId,
      detail: { role },
    });
  });
  deps.keyCache.forgetKeysOf({ userId });
}

export async function leaveOrganization(deps: Deps, caller: Caller): Promise<void> {
  await removeMember(deps, caller, { userId: caller.userId });
}
