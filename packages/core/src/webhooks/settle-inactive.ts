import type { Tx } from "@querybell/db";
import { settleInactive as statement } from "@querybell/webhooks";

/** Holds (or cancels, where the endpoint is deleted) a batch of what is pending at an endpoint that is not active. */
export const settleInactive = (tx: Tx, endpointId: string): Promise<number> =>
  tx.$executeRawUnsafe(statement, [endpointId]);
