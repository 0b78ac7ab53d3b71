-- Drops a partition. The attempts of the given deliveries move to the partition for other ids. False if it could not have
-- its locks soon.
CREATE OR REPLACE FUNCTION drop_webhook_attempt_partition(partition_name text, kept_deliveries uuid[]) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
  kept webhook_attempts[];
BEGIN
  LOCK TABLE ONLY webhook_attempts IN ACCESS EXCLUSIVE MODE;
  -- Not DETACH, which would lock webhook_deliveries too. Another process may have dropped it meanwhile.
  IF to_regclass(format('partitions.%I', partition_name)) IS NOT NULL THEN
    SELECT array_agg(a) INTO kept FROM webhook_attempts a WHERE delivery_id = ANY(kept_deliveries);
    EXECUTE format('DROP TABLE partitions.%I', partition_name);
    INSERT INTO webhook_attempts SELECT * FROM unnest(kept);
  END IF;
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;
