import { inTransaction, type Tx } from "@querybell/db";
import type { Clock, WebhookOccurrence } from "@querybell/domain";
import { createEvent } from "../deliveries/create-deliveries.ts";
import { type EndpointsToWake, wakePumpsAfterCommit } from "../deliveries/wake-pumps.ts";

interface Emission {
  organizationId: string;
  occurrence: WebhookOccurrence;
  /** What caused the event, like `automation_run:<id>`. Each cause emits at most once. */
  cause: string;
}

interface EmittedRow extends EndpointsToWake {
  emitted: string[] | null;
}

/**
 * Inserts events and a delivery for every subscribed endpoint, as `end_automation_run` does when a run ends, and wakes
 * the pumps once the transaction commits. Returns the ids of the new events; a cause that has emitted before gets none.
 */
export async function emitEvents(
  { tx, clock }: { tx: Tx; clock: Clock },
  emissions: readonly Emission[],
): Promise<string[]> {
  const createdAt = clock.now();
  const events = emissions.map(({ organizationId, occurrence, cause }) => ({
    ...createEvent(clock, occurrence, createdAt),
    organizationId,
    cause,
  }));
  const column = (name: keyof (typeof events)[number]) => events.map((event) => event[name]);
  const [row] = await inTransaction(tx)<EmittedRow>({
    name: "emit_webhook_events",
    text: `
      SELECT emitted, held_endpoints AS "heldEndpoints", free_endpoints AS "freeEndpoints"
      FROM emit_webhook_events($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::text[], $6::timestamptz)`,
    values: [
      column("id"),
      column("organizationId"),
      column("type"),
      column("body"),
      column("cause"),
      createdAt,
    ],
  });
  if (row) wakePumpsAfterCommit(tx, row);
  return row?.emitted ?? [];
}
