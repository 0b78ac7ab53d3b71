-- Counts one more live subscription of a subscriber, unless all processes together have the maximum. Two that are opened
-- at once wait for each other.
CREATE OR REPLACE FUNCTION open_subscription(
  chosen_subject bytea, chosen_process uuid, max_open integer, lease interval
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('open_subscription ' || encode(chosen_subject, 'hex'), 0));
  IF (
    SELECT coalesce(sum(count), 0) FROM open_subscriptions
    WHERE subject = chosen_subject AND expires_at > querybell_now()
  ) >= max_open THEN
    RETURN false;
  END IF;
  INSERT INTO open_subscriptions AS o (subject, process_id, count, expires_at)
  VALUES (chosen_subject, chosen_process, 1, querybell_now() + lease)
  ON CONFLICT (subject, process_id) DO UPDATE SET count = o.count + 1, expires_at = excluded.expires_at;
  RETURN true;
END $$;
