import type { Tx } from "@querybell/db";
import type { SubscribableEvent } from "@querybell/domain";
import { endOfEventId, type parseEventCursor } from "@querybell/webhooks";

/** The most events that one call sends again: the newest. */
const maxReplayed = 10_000;
/** For how long a loss is told again, to a program that repeats its call because it got no answer. */
const toldAgain = "1 hour";

interface Replay {
  organizationId: string;
  /** The subscription that gets the events, and its key. */
  endpointId: string;
  keyId: string;
  event: SubscribableEvent;
  automationId: string | null;
  cursor: NonNullable<ReturnType<typeof parseEventCursor>>;
  /** The position of the organization's latest event. The caller has locked the event stream. */
  latest: bigint;
  /** Older events are left out. */
  notBefore: Date;
}

/**
 * Queues what a receiver has missed: the stored events after the position of its cursor, and those before it that were
 * never delivered to the subscription which the cursor names, of automations that the key sees. What waits for its next
 * attempt at this subscription is not queued again but due at once: the program is there. Returns whether anything is
 * missing, or may be: purged, too old for the caller, or too much.
 */
export async function replayEvents(tx: Tx, replay: Replay): Promise<{ isTruncated: boolean }> {
  const { organizationId, endpointId, keyId, event, automationId, cursor, latest, notBefore } = replay;
  // A pump locks deliveries before their endpoint, which is locked here: what it is recording is left to it.
  await tx.$executeRaw`
    UPDATE webhook_deliveries SET next_attempt_at = querybell_now() WHERE id IN (
      SELECT id FROM webhook_deliveries
      WHERE endpoint_id = ${endpointId}::uuid AND state = 'pending' AND next_attempt_at > querybell_now()
      ORDER BY next_attempt_at LIMIT ${maxReplayed}::int FOR UPDATE SKIP LOCKED)`;
  const [found] = await tx.$queryRaw<
    { left_out: boolean; stored: bigint; is_known: boolean; has_loss: boolean; at_cursor: string | null }[]
  >`
    WITH undelivered AS (
      SELECT d.event_id FROM webhook_endpoints e CROSS JOIN LATERAL (
        SELECT event_id FROM webhook_deliveries WHERE endpoint_id = e.id AND state = 'pending'
        UNION ALL
        SELECT event_id FROM webhook_deliveries WHERE endpoint_id = e.id AND state = 'held'
        UNION ALL
        SELECT event_id FROM webhook_deliveries WHERE endpoint_id = e.id AND state = 'exhausted'
        UNION ALL
        SELECT event_id FROM webhook_deliveries WHERE endpoint_id = e.id AND state IN ('cancelled', 'dropped')) d
      WHERE e.id = ${cursor.endpointId}::uuid AND e.organization_id = ${organizationId}::uuid AND e.kind = 'mcp'
        AND NOT EXISTS (
          SELECT FROM webhook_deliveries s
          WHERE s.event_id = d.event_id AND s.endpoint_id = e.id AND s.state = 'succeeded')
    ), missed AS (
      SELECT v.id, v.type, v.automation_id, v.position, v.created_at FROM webhook_events v
      WHERE v.organization_id = ${organizationId}::uuid AND v.position > ${cursor.position}::bigint
      UNION
      SELECT v.id, v.type, v.automation_id, v.position, v.created_at
      FROM undelivered u JOIN webhook_events v ON v.id = u.event_id
      WHERE v.organization_id = ${organizationId}::uuid AND v.position <= ${cursor.position}::bigint
    ), seen AS MATERIALIZED (
      SELECT m.automation_id FROM (SELECT DISTINCT automation_id FROM missed) m
      WHERE key_sees_automation(${keyId}::uuid, m.automation_id)
    ), wanted AS MATERIALIZED (
      SELECT m.id, m.position, m.created_at >= ${notBefore}::timestamptz AS is_new FROM missed m
      WHERE m.type = ${event} AND (${automationId}::uuid IS NULL OR m.automation_id = ${automationId}::uuid)
        AND m.automation_id IN (SELECT automation_id FROM seen)
        AND NOT EXISTS (
          SELECT FROM webhook_deliveries d
          WHERE d.event_id = m.id AND d.endpoint_id = ${endpointId}::uuid AND d.state IN ('pending', 'held'))
      ORDER BY m.position DESC LIMIT ${maxReplayed + 1}::int
    ), queued AS (
      INSERT INTO webhook_deliveries
        (id, event_id, endpoint_id, round, kind, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(querybell_now() - now()), w.id, ${endpointId}::uuid, coalesce((
          SELECT max(d.round) + 1 FROM webhook_deliveries d
          WHERE d.event_id = w.id AND d.endpoint_id = ${endpointId}::uuid), 0),
        'recovery', 'pending', querybell_now(), querybell_now(), querybell_now()
      FROM (SELECT id, position FROM wanted WHERE is_new ORDER BY position DESC LIMIT ${maxReplayed}::int) w
      ORDER BY w.position
    ), told AS (
      UPDATE webhook_endpoints e SET loss_told_at = coalesce(e.loss_told_at, querybell_now())
      WHERE e.id = ${cursor.endpointId}::uuid AND e.organization_id = ${organizationId}::uuid
        AND e.lost_position <= ${cursor.position}::bigint
        AND (e.loss_told_at IS NULL OR e.loss_told_at > querybell_now() - ${toldAgain}::interval)
      RETURNING e.id
    )
    SELECT EXISTS (SELECT FROM wanted WHERE NOT is_new) OR (SELECT count(*) FROM wanted) > ${maxReplayed}::int AS left_out,
      (SELECT count(*) FROM missed WHERE position > ${cursor.position}::bigint) AS stored,
      EXISTS (
        SELECT FROM webhook_endpoints e
        WHERE e.id = ${cursor.endpointId}::uuid AND e.organization_id = ${organizationId}::uuid) AS is_known,
      EXISTS (SELECT FROM told) AS has_loss,
      (SELECT v.id::text FROM webhook_events v
        WHERE v.organization_id = ${organizationId}::uuid AND v.position = ${cursor.position}::bigint) AS at_cursor`;
  if (!found) throw new Error("A query without FROM returned no row.");
  // Every position up to the latest has had an event, so a smaller number shows that some were purged: after the cursor by
  // their number, before it because they are remembered. A cursor beyond the latest, or of another event, is one from before
  // a restore.
  const isOfOther =
    found.at_cursor !== null &&
    cursor.eventIdEnd !== undefined &&
    endOfEventId(found.at_cursor) !== cursor.eventIdEnd;
  const isComplete =
    found.is_known && !found.has_loss && !isOfOther && found.stored === latest - cursor.position;
  return { isTruncated: found.left_out || !isComplete };
}
