import type {
  Caller,
  SearchWebhookDeliveries,
  WebhookDelivery,
  WebhookDeliveryPage,
} from "@querybell/domain";
import { type DeliveryRow, findDeliveries } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { readLivePage } from "../paging/live-page.ts";

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

export const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  ...row,
  nextAttemptAt: row.state === "pending" ? row.nextAttemptAt.toISOString() : null,
  createdAt: row.createdAt.toISOString(),
  stateChangedAt: row.stateChangedAt.toISOString(),
});
