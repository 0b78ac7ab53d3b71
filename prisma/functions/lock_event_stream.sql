-- Locks the event stream of an organization until the transaction ends, if it has one. See emit_webhook_event.
CREATE OR REPLACE FUNCTION lock_event_stream(chosen_organization uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM event_streams WHERE organization_id = chosen_organization FOR NO KEY UPDATE;
END $$;
