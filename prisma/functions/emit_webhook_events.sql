-- Inserts events, and a delivery of each for every subscribed endpoint. Each cause emits at most once. The caller wakes
-- the pumps: those that hold an endpoint, and for an endpoint that none holds, all of them.
CREATE OR REPLACE FUNCTION emit_webhook_events(
  event_ids uuid[], organization_ids uuid[], event_types text[], bodies bytea[], causes text[], emitted_at timestamptz
) RETURNS TABLE (emitted text[], held_endpoints text[], free_endpoints text[]) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
    WITH event AS (
      INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at)
      SELECT e.id, e.organization_id, e.type, e.body, e.cause, emitted_at
      FROM unnest(event_ids, organization_ids, event_types, bodies, causes) AS e(id, organization_id, type, body, cause)
      ON CONFLICT (organization_id, dedupe_key) DO NOTHING
      RETURNING id, organization_id, type
    ), subscribed AS (
      SELECT event.id AS event_id, e.id, e.lease_owner IS NOT NULL AS is_held,
        e.state = 'enabled' AND o.webhooks_enabled AS is_active
      FROM event
      JOIN webhook_endpoints e ON e.organization_id = event.organization_id
      JOIN organizations o ON o.id = e.organization_id
      WHERE e.state <> 'deleted' AND event.type = ANY(e.event_types)
    ), delivery AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(querybell_now() - now()), s.event_id, s.id,
        CASE WHEN s.is_active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
        querybell_now(), querybell_now(), querybell_now()
      FROM subscribed s
    )
    SELECT (SELECT array_agg(event.id::text) FROM event),
      array_agg(DISTINCT s.id::text) FILTER (WHERE s.is_active AND s.is_held),
      array_agg(DISTINCT s.id::text) FILTER (WHERE s.is_active AND NOT s.is_held)
    FROM subscribed s;
END $$;
