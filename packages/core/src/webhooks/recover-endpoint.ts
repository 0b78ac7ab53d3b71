import {
  AppError,
  type Caller,
  type ListWebhookRecoveries,
  newId,
  type PreviewWebhookRecovery,
  type StartWebhookRecovery,
  type WebhookRecovery,
  type WebhookRecoveryPreview,
} from "@querybell/domain";
import { countFailedDeliveries } from "@querybell/webhooks";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { lockEndpoint } from "./get-endpoint.ts";
import { toRecoveries } from "./recovery-row.ts";

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
  const row = await deps.db.transaction(async (tx) => {
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
    return created;
  });
  return getOnly(await toRecoveries(deps, [row]));
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
  const row = await deps.db.prisma.webhookRecovery.findFirst({ where: { id, organizationId } });
  if (!row) throw recoveryNotFound();
  return getOnly(await toRecoveries(deps, [row]));
}

export const recoveryNotFound = () =>
  new AppError("not_found", "There is no such recovery in this organization.");

function getOnly<T>([first]: T[]): T {
  if (first === undefined) throw new Error("Expected one recovery for the row.");
  return first;
}
