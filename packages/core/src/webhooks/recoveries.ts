import type { Prisma } from "@querybell/db";
import {
  AppError,
  type Caller,
  type ListWebhookRecoveries,
  newId,
  type PreviewWebhookRecovery,
  type StartWebhookRecovery,
  type WebhookRecovery,
  type WebhookRecoveryId,
  type WebhookRecoveryPreview,
} from "@querybell/domain";
import { cancelRecoveryDeliveries, countFailedDeliveries, wakePumps } from "@querybell/webhooks";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { lockEndpoint } from "./get-endpoint.ts";

/** Counts the deliveries that a recovery would send again. */
export async function previewRecovery(
  deps: Deps,
  caller: Caller,
  input: PreviewWebhookRecovery,
): Promise<WebhookRecoveryPreview> {
  return deps.db.transaction(async (tx) => {
    await lockEndpoint(tx, caller, input.endpointId);
    requirePast(deps, input);
    return { total: await countFailedDeliveries(tx, input) };
  });
}

/** A time in the future is a mistake, usually of the day or the time zone. */
function requirePast({ clock }: Pick<Deps, "clock">, { since }: PreviewWebhookRecovery): void {
  if (new Date(since) <= clock.now()) return;
  throw new AppError("invalid_request", "The time is in the future. Choose a time in the past.", {
    errors: [{ path: "since", message: "must not be in the future" }],
  });
}

/** Starts sending again, at a pace, everything that failed since a time. The pumps do it, step by step. */
export async function startRecovery(
  deps: Deps,
  caller: Caller,
  input: StartWebhookRecovery,
): Promise<WebhookRecovery> {
  const { endpointId, since, perSecond } = input;
  const id = await deps.db.transaction(async (tx) => {
    const { state } = await lockEndpoint(tx, caller, endpointId);
    requirePast(deps, input);
    if (state !== "enabled")
      throw new AppError("conflict", "This endpoint is disabled. Enable it, then recover.");
    const running = await tx.webhookRecovery.count({
      where: { endpointId, state: "running", action: "resend_failed" },
    });
    if (running > 0)
      throw new AppError(
        "conflict",
        "A recovery of this endpoint is already running. Wait for its end, or cancel it.",
      );
    const now = deps.clock.now();
    const total = await countFailedDeliveries(tx, input);
    const created = await tx.webhookRecovery.create({
      data: {
        id: newId(deps.clock),
        organizationId: caller.organizationId,
        endpointId,
        action: "resend_failed",
        since,
        perSecond,
        total,
        pacedUntil: now,
        createdBy: caller.userId,
        createdAt: now,
      },
    });
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_recovery.started",
      targetId: created.id,
      detail: { endpointId, since, perSecond, total },
    });
    return created.id;
  });
  return getRecovery(deps, caller, { id });
}

/** Newest first. */
export async function listRecoveries(
  deps: Deps,
  { organizationId }: Caller,
  { endpointId }: ListWebhookRecoveries,
): Promise<WebhookRecovery[]> {
  const rows = await deps.db.prisma.webhookRecovery.findMany({
    where: { organizationId, ...(endpointId && { endpointId }) },
    orderBy: { id: "desc" },
    take: 50,
  });
  return toRecoveries(deps, rows);
}

export async function getRecovery(
  deps: Deps,
  { organizationId }: Caller,
  { id }: { id: string },
): Promise<WebhookRecovery> {
  const rows = await deps.db.prisma.webhookRecovery.findMany({ where: { id, organizationId } });
  const [recovery] = await toRecoveries(deps, rows);
  if (!recovery) throw recoveryNotFound();
  return recovery;
}

const recoveryNotFound = () => new AppError("not_found", "There is no such recovery in this organization.");

/**
 * Stops a recovery and cancels the deliveries that it queued and that have had no attempt. If it delivers held
 * deliveries, those that it has not queued yet are dropped; the pump would start a new recovery for them otherwise.
 */
export async function cancelRecovery(
  deps: Deps,
  caller: Caller,
  { id }: WebhookRecoveryId,
): Promise<WebhookRecovery> {
  await deps.db.transaction(async (tx) => {
    const { organizationId } = caller;
    await lockRow(tx, { table: "webhook_recoveries", key: { id }, organizationId });
    const recovery = await tx.webhookRecovery.findFirst({ where: { id, organizationId } });
    if (!recovery) throw recoveryNotFound();
    if (recovery.state !== "running")
      throw new AppError("conflict", `This recovery is already ${recovery.state}.`);
    if (recovery.action === "drop_held")
      throw new AppError("conflict", "A recovery that drops deliveries cannot be cancelled.");
    const now = deps.clock.now();
    await tx.webhookRecovery.update({ where: { id }, data: { state: "cancelled", endedAt: now } });
    await cancelRecoveryDeliveries(tx, id);
    if (recovery.action === "deliver_held") {
      await tx.webhookDelivery.updateMany({
        where: { endpointId: recovery.endpointId, state: "held", createdAt: { lte: recovery.createdAt } },
        data: { state: "dropped", stateChangedAt: now },
      });
    }
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_recovery.cancelled",
      targetId: id,
      detail: { endpointId: recovery.endpointId, queued: recovery.queued, total: recovery.total },
    });
    await wakePumps(tx, recovery.endpointId);
  });
  return getRecovery(deps, caller, { id });
}

/** Recoveries with their progress: how many of the deliveries that they queued are in each state. */
async function toRecoveries(
  { db }: Pick<Deps, "db">,
  rows: Prisma.WebhookRecoveryModel[],
): Promise<WebhookRecovery[]> {
  const counts = await db.prisma.webhookDelivery.groupBy({
    by: ["recoveryId", "state"],
    where: { recoveryId: { in: rows.map(({ id }) => id) } },
    _count: true,
  });
  const count = (id: string, state: string) =>
    counts.find((row) => row.recoveryId === id && row.state === state)?._count ?? 0;
  return rows.map((row) => ({
    id: row.id,
    endpointId: row.endpointId,
    action: row.action,
    since: row.since.toISOString(),
    perSecond: row.perSecond,
    state: row.state,
    total: row.total,
    queued: row.queued,
    pending: count(row.id, "pending"),
    held: count(row.id, "held"),
    succeeded: count(row.id, "succeeded"),
    exhausted: count(row.id, "exhausted"),
    cancelled: count(row.id, "cancelled"),
    dropped: count(row.id, "dropped"),
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }));
}
