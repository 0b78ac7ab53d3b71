import type { Tx } from "@querybell/db";
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
import { failedSince } from "@querybell/webhooks";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { lockEndpoint } from "./find-endpoint.ts";
import { toRecoveries } from "./recovery-row.ts";

/** How many events a recovery would send again. */
export async function previewRecovery(
  deps: Deps,
  caller: Caller,
  input: PreviewWebhookRecovery,
): Promise<WebhookRecoveryPreview> {
  return deps.db.transaction(async (tx) => {
    await lockEndpoint(tx, caller, input.endpointId);
    refuseFuture(deps, input);
    return { total: await countFailed(tx, input) };
  });
}

/** Nothing has failed since a time to come: whoever names one has mistaken the day, or the time zone. */
function refuseFuture({ clock }: Pick<Deps, "clock">, { since }: PreviewWebhookRecovery): void {
  if (new Date(since) <= clock.now()) return;
  throw new AppError("invalid_request", "A recovery looks back. Choose a time that has passed.", {
    errors: [{ path: "since", message: "must not be in the future" }],
  });
}

async function countFailed(tx: Tx, { endpointId, since }: PreviewWebhookRecovery): Promise<number> {
  const [counted] = await tx.$queryRawUnsafe<{ total: number }[]>(
    `SELECT count(*)::int AS total
     FROM (SELECT $1::uuid AS endpoint_id, $2::timestamptz AS since) r
     JOIN webhook_deliveries d ON d.endpoint_id = r.endpoint_id
     WHERE ${failedSince}`,
    endpointId,
    since,
  );
  return counted?.total ?? 0;
}

/** Sends again everything that failed since a time, at a pace, whatever becomes of any one process. */
export async function startRecovery(
  deps: Deps,
  caller: Caller,
  input: StartWebhookRecovery,
): Promise<WebhookRecovery> {
  const { endpointId, since, perSecond } = input;
  const row = await deps.db.transaction(async (tx) => {
    const { state } = await lockEndpoint(tx, caller, endpointId);
    refuseFuture(deps, input);
    if (state !== "enabled")
      throw new AppError("conflict", "This endpoint is disabled. Enable it, then recover.");
    const running = await tx.webhookRecovery.count({
      where: { endpointId, state: "running", action: "resend_failed" },
    });
    if (running > 0)
      throw new AppError("conflict", "A recovery of this endpoint is running. Wait, or cancel it.");
    const now = deps.clock.now();
    const total = await countFailed(tx, input);
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
  return one(await toRecoveries(deps, [row]));
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
  if (!row) throw missingRecovery();
  return one(await toRecoveries(deps, [row]));
}

export const missingRecovery = () =>
  new AppError("not_found", "There is no such recovery in this organization.");

function one<T>([first]: T[]): T {
  if (first === undefined) throw new Error("There is one recovery for each row.");
  return first;
}
