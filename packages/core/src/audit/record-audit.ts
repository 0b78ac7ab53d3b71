import type { Tx } from "@querybell/db";
import { type AuditAction, type Caller, newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Who performs an action: a member of the organization or, with `userId` null, the operator. */
export type Actor = Pick<Caller, "organizationId"> & { userId: string | null };

interface AuditRecord {
  action: AuditAction;
  targetId: string;
  detail?: Record<string, string | number | boolean | null | string[]>;
}

/** Writes an audit log entry in the transaction of the action, so that both commit or neither does. */
export async function recordAudit(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  actor: Actor,
  { action, targetId, detail = {} }: AuditRecord,
): Promise<void> {
  await tx.auditEntry.create({
    data: {
      id: newId(clock),
      organizationId: actor.organizationId,
      at: clock.now(),
      actorUserId: actor.userId,
      action,
      targetId,
      detail,
    },
  });
}
