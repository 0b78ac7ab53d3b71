import type { Prisma } from "@querybell/db";
import {
  AppError,
  type Caller,
  WebhookAttempt,
  type WebhookDeliveryDetail,
  type WebhookDeliveryId,
} from "@querybell/domain";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { type DeliveryRow, deliveryColumns, toDelivery } from "./search-deliveries.ts";

export const missingDelivery = () =>
  new AppError("not_found", "There is no such delivery in this organization. It may have been purged.");

/** One delivery with every attempt: what was sent, what came back, and how long each step took. */
export async function getDelivery(
  { db }: Deps,
  { organizationId }: Caller,
  { id }: WebhookDeliveryId,
): Promise<WebhookDeliveryDetail> {
  const { rows } = await db.pool.query<DeliveryRow & { body: Uint8Array }>({
    name: "get_webhook_delivery",
    text: `
      SELECT ${deliveryColumns}, v.body
      FROM webhook_deliveries d JOIN webhook_events v ON v.id = d.event_id
      JOIN webhook_endpoints e ON e.id = d.endpoint_id
      WHERE d.id = $1 AND e.organization_id = $2`,
    values: [id, organizationId],
  });
  const [row] = rows;
  if (!row) throw missingDelivery();
  const attempts = await db.prisma.webhookAttempt.findMany({
    where: { deliveryId: id },
    orderBy: { number: "asc" },
  });
  return { ...toDelivery(row), body: Buffer.from(row.body).toString(), attempts: attempts.map(toAttempt) };
}

const NamesAndValues = z.array(z.string());
const HeaderRecord = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export function sentHeaders(stored: unknown): { name: string; value: string }[] {
  const texts = NamesAndValues.parse(stored);
  return texts.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: texts[index + 1] ?? "" }] : []));
}

const receivedHeaders = (stored: unknown) =>
  Object.entries(HeaderRecord.parse(stored)).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ name, value })),
  );

const toAttempt = (row: Prisma.WebhookAttemptModel): WebhookAttempt =>
  WebhookAttempt.parse({
    ...row,
    startedAt: row.startedAt.toISOString(),
    endedAt: row.endedAt.toISOString(),
    requestHeaders: sentHeaders(row.requestHeaders),
    response:
      row.status === null
        ? null
        : {
            status: row.status,
            headers: receivedHeaders(row.responseHeaders),
            body: Buffer.from(row.responseBody ?? []).toString(),
            bodyBytes: row.responseBytes,
            bodyEnd: row.bodyEnd,
          },
    timings: {
      dns: row.dnsMs,
      connect: row.connectMs,
      tls: row.tlsMs,
      firstByte: row.firstByteMs,
      total: row.totalMs,
    },
  });
