import type { Prisma, Tx } from "@querybell/db";
import { AppError, type Caller, type WebhookEndpoint } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toEndpoint } from "./endpoint-row.ts";

const missing = () =>
  new AppError(
    "not_found",
    "There is no such webhook endpoint in this organization. It may have been deleted.",
  );

const secretsInOrder = { orderBy: { id: "desc" } } as const;

/** The caller's endpoint, which nobody else changes until the transaction ends. */
export async function lockEndpoint(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<Prisma.WebhookEndpointModel & { secrets: Prisma.WebhookSecretModel[] }> {
  // Not FOR UPDATE: emitting an event to this endpoint must not wait for it.
  await tx.$queryRaw`
    SELECT 1 FROM webhook_endpoints
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid FOR NO KEY UPDATE`;
  const row = await tx.webhookEndpoint.findFirst({
    where: { id, organizationId, state: { not: "deleted" } },
    include: { secrets: secretsInOrder },
  });
  if (!row) throw missing();
  return row;
}

type Reading = Pick<Deps, "sealer" | "clock">;

export async function readEndpoint(
  { tx, ...deps }: { tx: Tx } & Reading,
  id: string,
): Promise<WebhookEndpoint> {
  const row = await tx.webhookEndpoint.findUniqueOrThrow({
    where: { id },
    include: { secrets: secretsInOrder },
  });
  const held = await tx.webhookDelivery.count({ where: { endpointId: id, state: "held" } });
  return toEndpoint(deps, row, held);
}

export async function getEndpoint(
  deps: Deps,
  { organizationId }: Caller,
  { id }: { id: string },
): Promise<WebhookEndpoint> {
  const owned = await deps.db.prisma.webhookEndpoint.findFirst({
    where: { id, organizationId, state: { not: "deleted" } },
    select: { id: true },
  });
  if (!owned) throw missing();
  return readEndpoint({ ...deps, tx: deps.db.prisma }, id);
}

/** Newest first. */
export async function listEndpoints(deps: Deps, { organizationId }: Caller): Promise<WebhookEndpoint[]> {
  const rows = await deps.db.prisma.webhookEndpoint.findMany({
    where: { organizationId, state: { not: "deleted" } },
    include: { secrets: secretsInOrder },
    orderBy: { id: "desc" },
  });
  const counts = await deps.db.prisma.webhookDelivery.groupBy({
    by: ["endpointId"],
    where: { endpointId: { in: rows.map(({ id }) => id) }, state: "held" },
    _count: true,
  });
  const held = new Map(counts.map(({ endpointId, _count }) => [endpointId, _count]));
  return rows.map((row) => toEndpoint(deps, row, held.get(row.id) ?? 0));
}
