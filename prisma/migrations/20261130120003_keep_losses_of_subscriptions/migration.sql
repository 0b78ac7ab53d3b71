-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "loss_told_at" TIMESTAMPTZ(3),
ADD COLUMN     "lost_position" BIGINT;

-- An event that is deleted before a subscription got it is lost for its program. The position of the latest one is kept,
-- so that a replay from a later cursor says that something is missing. What a living key may not be told of is no loss.
CREATE OR REPLACE FUNCTION webhook_events_keep_losses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE webhook_endpoints e SET lost_position = OLD.position, loss_told_at = NULL
  FROM (
    SELECT d.endpoint_id FROM webhook_deliveries d WHERE d.event_id = OLD.id
    EXCEPT
    SELECT d.endpoint_id FROM webhook_deliveries d WHERE d.event_id = OLD.id AND d.state = 'succeeded') missed
  WHERE e.id = missed.endpoint_id AND e.kind = 'mcp' AND coalesce(e.lost_position, 0) < OLD.position
    AND (key_sees_automation(e.key_id, OLD.automation_id)
      OR NOT EXISTS (SELECT FROM api_keys k WHERE k.id = e.key_id AND k.revoked_at IS NULL));
  RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER webhook_events_keep_losses BEFORE DELETE ON webhook_events
  FOR EACH ROW WHEN (OLD.position IS NOT NULL)
  EXECUTE FUNCTION webhook_events_keep_losses();
