import type { Prisma, Tx } from "@querybell/db";
import { AppError, type Caller, type WebhookEndpoint } from "@querybell/domain";
import { countUnfinishedDeliveries } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { toEndpoint, type UnfinishedCounts } from "./endpoint-row.ts";

const endpointNotFound = () =>
  new AppError(
    "not_found",
    "There is no such webhook endpoint in this organization. It may have been deleted.",
  );

/** How many secrets of an endpoint are kept, so that the signature debugger can recognize replaced ones. */
export const keptSecrets = 50;

/** One more than are kept: a rotation deletes all but those, and then adds a new one. */
export const newestSecretsFirst = { orderBy: { id: "desc" }, take: keptSecrets + 1 } as const;

/** Reads the caller's endpoint and locks it against changes until the transaction ends. */
export async function lockEndpoint(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<Prisma.WebhookEndpointModel & { secrets: Prisma.WebhookSecretModel[] }> {
  // NO KEY UPDATE does not block inserting deliveries, so emitting events does not wait for this transaction.
  await tx.$queryRaw`
    SELECT 1 FROM webhook_endpoints
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid FOR NO KEY UPDATE`;
  const row = await tx.webhookEndpoint.findFirst({
    where: { id, organizationId, state: { not: "deleted" } },
    include: { secrets: newestSecretsFirst },
  });
  if (!row) throw endpointNotFound();
  return row;
}

export async function readEndpoint(
  { tx, ...deps }: { tx: Tx } & Pick<Deps, "sealer" | "clock">,
  id: string,
): Promise<WebhookEndpoint> {
  const row = await tx.webhookEndpoint.findUniqueOrThrow({
    where: { id },
    include: { secrets: newestSecretsFirst },
  });
  const unfinished = await countUnfinished(tx, [id]);
  return toEndpoint(deps, row, unfinished(id));
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
  if (!owned) throw endpointNotFound();
  return readEndpoint({ ...deps, tx: deps.db.prisma }, id);
}

/** Newest first. */
export async function listEndpoints(deps: Deps, { organizationId }: Caller): Promise<WebhookEndpoint[]> {
  const rows = await deps.db.prisma.webhookEndpoint.findMany({
    where: { organizationId, state: { not: "deleted" } },
    include: { secrets: newestSecretsFirst },
    orderBy: { id: "desc" },
  });
  const unfinished = await countUnfinished(
    deps.db.prisma,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toEndpoint(deps, row, unfinished(row.id)));
}

async function countUnfinished(tx: Tx, endpointIds: string[]): Promise<(id: string) => UnfinishedCounts> {
  const counts = await countUnfinishedDeliveries(tx, endpointIds);
  const byEndpoint = new Map(counts.map(({ endpointId, pending, held }) => [endpointId, { pending, held }]));
  return (id) => byEndpoint.get(id) ?? { pending: 0, held: 0 };
}
