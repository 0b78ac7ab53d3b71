-- Inserts an event, and a delivery of it for every subscribed endpoint. A cause emits at most once. The caller wakes the
-- pumps: those that hold an endpoint, and for an endpoint that none holds, all of them.
--
-- An event about an automation gets the next position in the organization's event stream, if it has one. The lock on its
-- row makes the order of positions that of the commits, and every position has an event, until it is purged. The statement
-- after it sees every subscription that was committed before the lock was taken, so an event is either before the start of
-- a subscription or delivered to it.
--
-- Filters see the data of the body, or filtered_data if it is given.
CREATE OR REPLACE FUNCTION emit_webhook_event(
  new_event uuid, chosen_organization uuid, event_type text, event_body bytea, cause text, about_automation uuid,
  emitted_at timestamptz, tells_people boolean DEFAULT true, filtered_data jsonb DEFAULT NULL
) RETURNS TABLE (is_new boolean, held_endpoints text[], free_endpoints text[]) LANGUAGE plpgsql AS $$
DECLARE
  last_position bigint;
BEGIN
  IF about_automation IS NOT NULL THEN
    SELECT s.position INTO last_position FROM event_streams s
    WHERE s.organization_id = chosen_organization FOR NO KEY UPDATE;
  END IF;
  INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at, position, automation_id)
  VALUES (new_event, chosen_organization, event_type, event_body, cause, emitted_at, last_position + 1,
    CASE WHEN last_position IS NOT NULL THEN about_automation END)
  ON CONFLICT (organization_id, dedupe_key) DO NOTHING;
  IF NOT FOUND THEN
    RETURN QUERY SELECT false, NULL::text[], NULL::text[];
    RETURN;
  END IF;
  IF last_position IS NOT NULL THEN
    UPDATE event_streams s SET position = last_position + 1 WHERE s.organization_id = chosen_organization;
  END IF;
  RETURN QUERY
    WITH subscribed AS (
      SELECT e.id, e.lease_owner IS NOT NULL AS is_held, e.state = 'enabled' AND o.webhooks_enabled AS is_active
      FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id
      WHERE e.organization_id = chosen_organization AND e.state <> 'deleted' AND CASE e.kind
        WHEN 'webhook' THEN event_type = ANY(e.event_types)
          AND (e.filter IS NULL OR passes_event_filter(e.filter, about_automation, event_body, filtered_data))
        WHEN 'mcp' THEN event_type = ANY(e.event_types) AND last_position IS NOT NULL AND e.expires_at > querybell_now()
          AND (e.automation_id IS NULL OR e.automation_id = about_automation)
        -- A destination gets what automations have chosen for it, while people are told.
        ELSE tells_people AND EXISTS (
          SELECT FROM automation_destinations c
          WHERE c.automation_id = about_automation AND c.endpoint_id = e.id AND event_type = ANY(c.event_types))
        END
    ), delivery AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(querybell_now() - now()), new_event, s.id,
        CASE WHEN s.is_active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
        querybell_now(), querybell_now(), querybell_now()
      FROM subscribed s
    )
    SELECT true, array_agg(s.id::text) FILTER (WHERE s.is_active AND s.is_held),
      array_agg(s.id::text) FILTER (WHERE s.is_active AND NOT s.is_held)
    FROM subscribed s;
END $$;
