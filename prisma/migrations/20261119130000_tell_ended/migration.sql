-- Ends subscriptions of programs and records that in the audit log. Nothing is sent to them any more: claims demand an
-- enabled endpoint, and pumps cancel what waits. A job tells the program, if it cannot know: with the secret in it, as
-- the subscription has none any more. Without an actor, the key that subscribed is named. Returns how many it ended.
CREATE OR REPLACE FUNCTION end_event_subscriptions(chosen uuid[], reason text, actor uuid, actor_key uuid)
RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  one record;
  ended int := 0;
BEGIN
  FOR one IN
    SELECT e.id, e.organization_id, e.url, e.event_types[1] AS event, e.created_by, e.key_id
    FROM webhook_endpoints e WHERE e.id = ANY(chosen) AND e.kind = 'mcp' AND e.state <> 'deleted'
    ORDER BY e.id FOR NO KEY UPDATE
  LOOP
    UPDATE webhook_endpoints e SET state = 'deleted', disabled_reason = NULL, disabled_at = NULL,
      revision = e.revision + 1, updated_at = querybell_now()
    WHERE e.id = one.id;
    IF reason IN ('admin', 'key_revoked') THEN
      PERFORM graphile_worker.add_job('tell_subscription_ended',
        json_build_object('endpointId', one.id, 'reason', reason, 'sealedSecret', s.sealed), max_attempts => 5)
      FROM (
        SELECT sealed FROM webhook_secrets WHERE endpoint_id = one.id ORDER BY signs_from DESC, id DESC LIMIT 1) s;
    END IF;
    DELETE FROM webhook_secrets s WHERE s.endpoint_id = one.id;
    INSERT INTO audit_entries (id, organization_id, at, actor_user_id, key_id, action, target_id, detail)
    SELECT uuidv7(querybell_now() - now()), o.id, querybell_now(), coalesce(actor, one.created_by),
      CASE WHEN actor IS NULL THEN one.key_id ELSE actor_key END, 'event_subscription.ended', one.id,
      jsonb_build_object('url', one.url, 'event', one.event, 'reason', reason)
    -- It is gone if the organization itself is being deleted.
    FROM organizations o WHERE o.id = one.organization_id;
    PERFORM pg_notify('querybell_webhooks', one.id::text);
    ended := ended + 1;
  END LOOP;
  RETURN ended;
END $$;
