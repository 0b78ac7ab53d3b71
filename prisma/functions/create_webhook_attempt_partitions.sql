-- Creates partitions of so many days until the next two exist. Attempts that came while a partition was missing stay where
-- they are, and the next partition begins after them. The locks are taken in the order in which writers take them, and
-- waited for only briefly, because writers wait meanwhile: null if it could not have them.
CREATE OR REPLACE FUNCTION create_webhook_attempt_partitions(width_days int) RETURNS int
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
  -- Days of 24 hours, whatever the time zone of the session is.
  width interval := make_interval(hours => 24 * width_days);
  until timestamptz := querybell_now() + 2 * width;
  created int := 0;
  begins timestamptz;
  misplaced timestamptz;
BEGIN
  IF (SELECT max(ends_at) > until FROM partitions.webhook_attempt_partitions) THEN
    RETURN 0;
  END IF;
  LOCK TABLE webhook_deliveries IN SHARE ROW EXCLUSIVE MODE;
  LOCK TABLE ONLY webhook_attempts IN ACCESS EXCLUSIVE MODE;
  SELECT max(ends_at) INTO begins FROM partitions.webhook_attempt_partitions;
  SELECT date_trunc('hour', uuid_extract_timestamp(delivery_id)) + interval '1 hour' INTO misplaced
  FROM partitions.webhook_attempts_other
  WHERE delivery_id < lowest_id_at(until + width) ORDER BY delivery_id DESC LIMIT 1;
  begins := greatest(begins, misplaced, date_trunc('hour', querybell_now()));
  WHILE begins <= until LOOP
    EXECUTE format(
      'CREATE TABLE partitions.%I PARTITION OF webhook_attempts FOR VALUES FROM (%L) TO (%L)',
      'webhook_attempts_' || to_char(begins AT TIME ZONE 'UTC', 'YYYY_MM_DD_HH24'),
      lowest_id_at(begins), lowest_id_at(begins + width));
    begins := begins + width;
    created := created + 1;
  END LOOP;
  RETURN created;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END $$;
