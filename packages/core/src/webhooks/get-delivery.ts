import type { Prisma } from "@querybell/db";
import {
  AppError,
  type Caller,
  isDestinationKind,
  type SearchWebhookDeliveries,
  type WebhookAttempt,
  WebhookBodyEnd,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type WebhookDeliveryId,
  type WebhookDeliveryPage,
} from "@querybell/domain";
import { type DeliveryRow, findDeliveries, findDelivery, toSentBody } from "@querybell/webhooks";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { showMessage } from "../destinations/messenger.ts";
import { readLivePage } from "../paging/live-page.ts";

export const deliveryNotFound = () =>
  new AppError("not_found", "There is no such delivery in this organization. It may have been purged.");

/** A delivery with all its attempts: what was sent, the response, and how long each step took. */
export async function getDelivery(
  deps: Deps,
  { organizationId }: Caller,
  { id }: WebhookDeliveryId,
): Promise<WebhookDeliveryDetail> {
  const { db } = deps;
  const row = await findDelivery(db.pool, { id, organizationId });
  if (!row) throw deliveryNotFound();
  const attempts = await db.prisma.webhookAttempt.findMany({
    where: { deliveryId: id },
    orderBy: { number: "asc" },
  });
  return {
    ...toDelivery(row),
    body: isDestinationKind(row.endpointKind)
      ? await showMessage(deps, row.endpointKind, row)
      : Buffer.from(toSentBody(row)).toString(),
    attempts: attempts.map(toAttempt),
  };
}

/** Name, value, name, value … */
const NamesAndValues = z.array(z.string());
const HeaderRecord = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export function toSentHeaders(stored: unknown): { name: string; value: string }[] {
  const texts = NamesAndValues.parse(stored);
  return texts.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: texts[index + 1] ?? "" }] : []));
}

const toReceivedHeaders = (stored: unknown) =>
  Object.entries(HeaderRecord.parse(stored)).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ name, value })),
  );

const toAttempt = (row: Prisma.WebhookAttemptModel): WebhookAttempt => ({
  number: row.number,
  outcome: row.outcome,
  sentence: row.sentence,
  startedAt: row.startedAt.toISOString(),
  endedAt: row.endedAt.toISOString(),
  url: row.url,
  address: row.address,
  reusedConnection: row.reusedConnection,
  requestHeaders: toSentHeaders(row.requestHeaders),
  response: row.status === null ? null : toResponse(row, row.status),
  timings: {
    dns: row.dnsMs,
    connect: row.connectMs,
    tls: row.tlsMs,
    firstByte: row.firstByteMs,
    total: row.totalMs,
  },
});

const toResponse = (row: Prisma.WebhookAttemptModel, status: number): WebhookAttempt["response"] => ({
  status,
  headers: toReceivedHeaders(row.responseHeaders),
  body: Buffer.from(row.responseBody ?? []).toString(),
  // Set whenever there is a status.
  bodyBytes: row.responseBytes ?? 0,
  bodyEnd: WebhookBodyEnd.parse(row.bodyEnd),
});

/** Newest first. */
export async function searchDeliveries(
  deps: Deps,
  { organizationId }: Caller,
  { limit, cursor, ...filters }: SearchWebhookDeliveries,
): Promise<WebhookDeliveryPage> {
  const filter = JSON.stringify(filters, Object.keys(filters).sort());
  const { items, ...rest } = await readLivePage(
    deps,
    { list: "webhookDeliveries", organizationId, filter, limit, cursor },
    ({ after, take }) =>
      findDeliveries(deps.db.pool, { ...filters, organizationId, beforeId: after?.id, limit: take }),
  );
  return { items: items.map(toDelivery), ...rest };
}

const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  eventId: row.eventId,
  endpointId: row.endpointId,
  endpointUrl: row.endpointUrl,
  endpointKind: row.endpointKind,
  endpointDescription: row.endpointDescription,
  type: row.type,
  kind: row.kind,
  state: row.state,
  attemptCount: row.attemptCount,
  lastOutcome: row.lastOutcome,
  nextAttemptAt: row.state === "pending" ? row.nextAttemptAt.toISOString() : null,
  createdAt: row.createdAt.toISOString(),
  stateChangedAt: row.stateChangedAt.toISOString(),
});
