import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  isDestinationKind,
  type WebhookEndpoint,
  type WebhookEndpointHealth,
  type WebhookEndpointId,
  WebhookEndpointState,
  WebhookEventType,
  type WebhookFilter,
  type WebhookSecret,
} from "@querybell/domain";
import { UnsealError } from "@querybell/sealing";
import { countUnfinishedDeliveries, openHeaders, readEndpointActivity, wakePumps } from "@querybell/webhooks";
import type { AuditRecord } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { readFilterNames, StoredFilter } from "./endpoint-filter.ts";

const endpointNotFound = () =>
  new AppError(
    "not_found",
    "There is no such webhook endpoint in this organization. It may have been deleted.",
  );

/** How many secrets of an endpoint are kept, so that the signature debugger can recognize replaced ones. */
export const keptSecrets = 50;

/** One more than are kept: a rotation first deletes older ones, and then adds a new one. */
export const newestSecretsFirst = { orderBy: { id: "desc" }, take: keptSecrets + 1 } as const;

export type EndpointRow = Prisma.WebhookEndpointModel & { secrets: Prisma.WebhookSecretModel[] };

/**
 * Reads the caller's endpoint or destination and locks it against changes until the transaction ends. Subscriptions of
 * programs are not found: only their programs change them.
 */
export async function lockEndpoint(
  tx: Tx,
  caller: Pick<Caller, "organizationId">,
  id: string,
): Promise<EndpointRow> {
  const row = await lockAnyEndpoint(tx, caller, id);
  if (row.kind === "mcp") throw endpointNotFound();
  return row;
}

/** The same without destinations: for what they do not have, like signatures. */
export async function lockWebhook(
  tx: Tx,
  caller: Pick<Caller, "organizationId">,
  id: string,
): Promise<EndpointRow> {
  const row = await lockAnyEndpoint(tx, caller, id);
  if (row.kind !== "webhook") throw endpointNotFound();
  return row;
}

type EndpointChange = "created" | "changed" | "disabled" | "enabled" | "deleted";

/** The entry in the audit log about a change of an endpoint or destination. The address of a destination is a secret. */
export const toAuditRecord = (
  { id, kind, url, description }: Pick<EndpointRow, "id" | "kind" | "url" | "description">,
  change: EndpointChange,
  detail: AuditRecord["detail"] = {},
): AuditRecord =>
  isDestinationKind(kind)
    ? { action: `destination.${change}`, targetId: id, detail: { name: description, kind, ...detail } }
    : { action: `webhook_endpoint.${change}`, targetId: id, detail: { url, ...detail } };

/** The same for endpoints, destinations and subscriptions of programs. */
export async function lockAnyEndpoint(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<EndpointRow> {
  // NO KEY UPDATE does not block inserting deliveries, so emitting events does not wait for this transaction.
  await lockRow(tx, { table: "webhook_endpoints", key: { id }, organizationId, strength: "NO KEY UPDATE" });
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
  const filter = await readFilterNames(tx, row.organizationId, [StoredFilter.parse(row.filter)]);
  return toEndpoint(deps, row, { ...unfinished(id), filter });
}

export async function getEndpoint(
  deps: Deps,
  { organizationId }: Caller,
  { id }: { id: string },
): Promise<WebhookEndpoint> {
  const owned = await deps.db.prisma.webhookEndpoint.findFirst({
    where: { id, organizationId, kind: "webhook", state: { not: "deleted" } },
    select: { id: true },
  });
  if (!owned) throw endpointNotFound();
  return readEndpoint({ ...deps, tx: deps.db.prisma }, id);
}

/** Newest first. */
export async function listEndpoints(deps: Deps, { organizationId }: Caller): Promise<WebhookEndpoint[]> {
  const rows = await deps.db.prisma.webhookEndpoint.findMany({
    where: { organizationId, kind: "webhook", state: { not: "deleted" } },
    include: { secrets: newestSecretsFirst },
    orderBy: { id: "desc" },
  });
  const unfinished = await countUnfinished(
    deps.db.prisma,
    rows.map(({ id }) => id),
  );
  const filters = rows.map((row) => StoredFilter.parse(row.filter));
  const filter = await readFilterNames(deps.db.prisma, organizationId, filters);
  return rows.map((row) => toEndpoint(deps, row, { ...unfinished(row.id), filter }));
}

export async function countUnfinished(
  tx: Tx,
  endpointIds: string[],
): Promise<(id: string) => UnfinishedCounts> {
  const counts = await countUnfinishedDeliveries(tx, endpointIds);
  const byEndpoint = new Map(counts.map(({ endpointId, pending, held }) => [endpointId, { pending, held }]));
  return (id) => byEndpoint.get(id) ?? { pending: 0, held: 0 };
}

/** How many unfinished deliveries an endpoint has, by state. */
export type UnfinishedCounts = Pick<WebhookEndpoint, "pending" | "held">;

interface ReadBesides extends UnfinishedCounts {
  filter: (stored: WebhookFilter | null) => WebhookEndpoint["filter"];
}

/** An endpoint as its organization's admins see it: without the texts of its secrets. */
const toEndpoint = (
  { sealer, clock }: Pick<Deps, "sealer" | "clock">,
  row: EndpointRow,
  { filter, pending, held }: ReadBesides,
): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  description: row.description,
  eventTypes: WebhookEventType.array().parse(row.eventTypes),
  filter: filter(StoredFilter.parse(row.filter)),
  // Null if the sealing key is gone. The endpoint is still listed, so that an admin can set the headers again.
  headers: unsealOrUndefined(() => openHeaders(sealer, row.id, row.sealedHeaders)) ?? null,
  standardWebhooks: row.standardWebhooks,
  sendsTraceparent: row.sendsTraceparent,
  maxInFlight: row.maxInFlight,
  maxPerSecond: row.maxPerSecond,
  state: WebhookEndpointState.parse(row.state),
  disabledReason: row.disabledReason,
  disabledAt: row.disabledAt?.toISOString() ?? null,
  consecutiveFailures: row.consecutiveFailures,
  ...{ pending, held },
  secrets: row.secrets.map((secret) => toSecret(secret, clock.now())),
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** A secret that was withdrawn before `signsFrom` is expired, although `signsFrom` is still in the future. */
export function secretState(
  { signsFrom, expiresAt }: Pick<Prisma.WebhookSecretModel, "signsFrom" | "expiresAt">,
  now: Date,
): WebhookSecret["state"] {
  if (expiresAt && expiresAt <= now) return "expired";
  return signsFrom > now ? "next" : "signing";
}

export const toSecret = (row: Prisma.WebhookSecretModel, now: Date): WebhookSecret => ({
  id: row.id,
  state: secretState(row, now),
  createdAt: row.createdAt.toISOString(),
  signsFrom: row.signsFrom.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
});

/** Undefined if the value cannot be unsealed, for example because its key was removed from the keyring. */
export function unsealOrUndefined<T>(unseal: () => T): T | undefined {
  try {
    return unseal();
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

/**
 * Marks an endpoint's settings or secrets as changed. Deliveries claimed after the commit are sent with the new ones:
 * a claim carries the revision, and the pump reloads the settings when it is newer than its own.
 */
export async function bumpRevision(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  endpointId: string,
): Promise<void> {
  await tx.webhookEndpoint.update({
    where: { id: endpointId },
    data: { revision: { increment: 1 }, updatedAt: clock.now() },
  });
  await wakePumps(tx, endpointId);
}

/** Throws unless the organization has this endpoint or destination. */
async function requireEndpoint({ db }: Deps, { organizationId }: Caller, id: string): Promise<void> {
  const found = await db.prisma.webhookEndpoint.count({
    where: { id, organizationId, kind: { not: "mcp" }, state: { not: "deleted" } },
  });
  if (found === 0) throw endpointNotFound();
}

const hourMs = 3_600_000;

/** The attempts and deliveries of an endpoint in the last 24 hours. */
export async function readEndpointHealth(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookEndpointHealth> {
  await requireEndpoint(deps, caller, id);
  const until = deps.clock.now();
  const since = until.getTime() - 24 * hourMs;
  const { organizationId } = caller;
  const activity = await readEndpointActivity(deps.db.pool, { organizationId, endpointId: id, until });
  return {
    ...activity,
    since: new Date(since).toISOString(),
    hours: activity.hours.map((counts, hour) => ({
      from: new Date(since + hour * hourMs).toISOString(),
      ...counts,
    })),
    lastSuccessAt: activity.lastSuccessAt?.toISOString() ?? null,
    lastFailure: activity.lastFailure && {
      ...activity.lastFailure,
      at: new Date(activity.lastFailure.at).toISOString(),
    },
  };
}

/** Throws unless the operator has enabled webhooks for the organization. */
export async function requireWebhooks({ db }: Deps, { organizationId }: Caller): Promise<void> {
  const { webhooksEnabled, slug } = await db.prisma.organization.findUniqueOrThrow({
    where: { id: organizationId },
  });
  if (webhooksEnabled) return;
  throw new AppError(
    "webhooks_not_enabled",
    `Webhooks are not enabled for this organization. Ask the operator of this deployment to run: pnpm operator webhooks on --organization ${slug}`,
  );
}
