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
  id: string;
  isNew: boolean;
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
    automationId: occurrence.data.automationId,
  }));
  const column = (name: keyof (typeof events)[number]) => events.map((event) => event[name]);
  const rows = await inTransaction(tx)<EmittedRow>({
    name: "emit_webhook_event",
    text: `
      SELECT e.id, emitted.is_new AS "isNew", emitted.held_endpoints AS "heldEndpoints",
        emitted.free_endpoints AS "freeEndpoints"
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::text[], $6::uuid[])
          AS e(id, organization_id, type, body, cause, automation_id)
        CROSS JOIN LATERAL emit_webhook_event(
          e.id, e.organization_id, e.type, e.body, e.cause, e.automation_id, $7::timestamptz) AS emitted`,
    values: [
      column("id"),
      column("organizationId"),
      column("type"),
      column("body"),
      column("cause"),
      column("automationId"),
      createdAt,
    ],
  });
  for (const row of rows) wakePumpsAfterCommit(tx, row);
  return rows.filter(({ isNew }) => isNew).map(({ id }) => id);
}
