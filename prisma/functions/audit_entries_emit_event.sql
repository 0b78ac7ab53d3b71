-- Sends each entry to the endpoints that ask for it. They are not woken: a pump finds the delivery within a second or two.
CREATE OR REPLACE FUNCTION audit_entries_emit_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event uuid;
  created_at text := to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
BEGIN
  IF NOT EXISTS (
    SELECT FROM webhook_endpoints
    WHERE organization_id = NEW.organization_id AND state <> 'deleted' AND 'audit.entry.created' = ANY(event_types)
  ) THEN
    RETURN NULL;
  END IF;
  event := uuidv7(querybell_now() - now());
  PERFORM emit_webhook_event(
    event, NEW.organization_id, 'audit.entry.created',
    convert_to(json_build_object(
      'id', event, 'type', 'audit.entry.created', 'createdAt', created_at,
      'data', json_build_object(
        'entryId', NEW.id, 'action', NEW.action, 'byOperator', NEW.actor_user_id IS NULL, 'userId', NEW.actor_user_id,
        'keyId', NEW.key_id, 'targetId', NEW.target_id, 'detail', NEW.detail))::text, 'UTF8'),
    'audit_entry:' || NEW.id, NULL, NEW.at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER audit_entries_emit_event AFTER INSERT ON audit_entries
  FOR EACH ROW
  EXECUTE FUNCTION audit_entries_emit_event();
