import type { Prisma, Tx } from "@querybell/db";
import { AppError, type Caller, type WebhookEndpoint } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toEndpoint, type Unfinished } from "./endpoint-row.ts";

const missing = () =>
  new AppError(
    "not_found",
    "There is no such webhook endpoint in this organization. It may have been deleted.",
  );

/** How many secrets of an endpoint are kept, newest first, so that the signature debugger knows replaced ones. */
export const keptSecrets = 50;

/** One more than are kept: the new one of a rotation comes before an old one goes. */
export const secretsInOrder = { orderBy: { id: "desc" }, take: keptSecrets + 1 } as const;

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
  const unfinished = await countUnfinished(
    deps.db.prisma,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toEndpoint(deps, row, unfinished(row.id)));
}

async function countUnfinished(tx: Tx, endpointIds: string[]): Promise<(id: string) => Unfinished> {
  const count = async (state: keyof Unfinished) => {
    const counts = await tx.webhookDelivery.groupBy({
      by: ["endpointId"],
      where: { endpointId: { in: endpointIds }, state },
      _count: true,
    });
    return new Map(counts.map(({ endpointId, _count }) => [endpointId, _count]));
  };
  // One after the other: a transaction has one connection. Each is read from the index of its state.
  const [pending, held] = [await count("pending"), await count("held")];
  return (id) => ({ pending: pending.get(id) ?? 0, held: held.get(id) ?? 0 });
}
