-- The subscriptions of a key end with it, in the transaction that revokes or deletes it.
CREATE OR REPLACE FUNCTION api_keys_end_subscriptions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM end_event_subscriptions(
    ARRAY(SELECT id FROM webhook_endpoints WHERE key_id = OLD.id AND state <> 'deleted'), 'key_revoked', NULL, NULL);
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER api_keys_end_subscriptions BEFORE DELETE OR UPDATE OF revoked_at ON api_keys
  FOR EACH ROW
  EXECUTE FUNCTION api_keys_end_subscriptions();
