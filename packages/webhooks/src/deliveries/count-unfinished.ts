import type { Tx } from "@querybell/db";

export interface UnfinishedDeliveries {
  endpointId: string;
  pending: number;
  held: number;
}

/**
 * Counts the pending and the held deliveries of each endpoint. The states are literals, so that Postgres uses the index
 * of each: with a parameter it would read all deliveries of the endpoint.
 */
export const countUnfinishedDeliveries = (tx: Tx, endpointIds: string[]): Promise<UnfinishedDeliveries[]> =>
  tx.$queryRaw<UnfinishedDeliveries[]>`
    SELECT e.id::text AS "endpointId",
      (SELECT count(*)::int FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'pending') AS pending,
      (SELECT count(*)::int FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'held') AS held
    FROM unnest(${endpointIds}::uuid[]) AS e(id)`;
