import type { Tx } from "@querybell/db";
import { type AuditAction, type Caller, newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Who did something in an organization: one of its people or, with null, the deployment's operator. */
export type Actor = Pick<Caller, "organizationId"> & { userId: string | null };

interface AuditRecord {
  action: AuditAction;
  targetId: string;
  detail?: Record<string, string | number | boolean | null | string[]>;
}

/** Writes down what a transaction does, in that transaction: neither exists without the other. */
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
