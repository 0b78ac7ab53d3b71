-- Attempts are most of the bytes of webhook history: a row has the headers and the beginning of the body of an answer.
-- They are stored in partitions by the time at which their delivery was created, which its id begins with, so that a purge
-- drops a partition instead of deleting its rows. The partitions have a schema of their own: `public` still has one table.
CREATE SCHEMA "partitions";

-- Workers may write meanwhile. They lock deliveries before attempts, and in another order both would wait forever.
LOCK TABLE "webhook_deliveries" IN SHARE ROW EXCLUSIVE MODE;

ALTER TABLE "webhook_attempts" SET SCHEMA "partitions";
ALTER TABLE "partitions"."webhook_attempts" RENAME TO "webhook_attempts_first";
ALTER INDEX "partitions"."webhook_attempts_pkey" RENAME TO "webhook_attempts_first_pkey";

CREATE TABLE "webhook_attempts" (LIKE "partitions"."webhook_attempts_first" INCLUDING ALL EXCLUDING INDEXES)
  PARTITION BY RANGE ("delivery_id");
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("delivery_id", "number");
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_deliveries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The lowest id of a time: the lower bound of ids created since then.
CREATE FUNCTION "lowest_id_at"(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- The rows that exist become the first partition as they are. It ends within the next hour, or after the newest of them.
DO $$
DECLARE
  newest uuid := (SELECT delivery_id FROM partitions.webhook_attempts_first ORDER BY delivery_id DESC LIMIT 1);
  ends timestamptz := date_trunc('hour', greatest(querybell_now(), uuid_extract_timestamp(newest))) + interval '1 hour';
BEGIN
  EXECUTE format('ALTER TABLE webhook_attempts ATTACH PARTITION partitions.webhook_attempts_first FOR VALUES FROM (MINVALUE) TO (%L)',
    lowest_id_at(ends));
END $$;

-- For ids that no other partition is for: no write fails because a partition is missing.
CREATE TABLE "partitions"."webhook_attempts_other" PARTITION OF "webhook_attempts" DEFAULT;

-- The partitions but the one for other ids. The first one has no begin.
CREATE VIEW "partitions"."webhook_attempt_partitions" AS
  SELECT c.relname AS "name",
    uuid_extract_timestamp(substring(bounds FROM 'FROM \(''([0-9a-f-]+)''\)')::uuid) AS "begins_at",
    uuid_extract_timestamp(substring(bounds FROM 'TO \(''([0-9a-f-]+)''\)')::uuid) AS "ends_at"
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  CROSS JOIN LATERAL pg_get_expr(c.relpartbound, c.oid) AS bounds
  WHERE i.inhparent = 'public.webhook_attempts'::regclass AND bounds <> 'DEFAULT';

-- Creates partitions of so many days until the next two exist. Attempts that came while a partition was missing stay where
-- they are, and the next partition begins after them. The locks are taken in the order in which writers take them, and
-- waited for only briefly, because writers wait meanwhile: null if it could not have them.
CREATE FUNCTION "create_webhook_attempt_partitions"(width_days int) RETURNS int LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
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
  FROM partitions.webhook_attempts_other WHERE delivery_id < lowest_id_at(until + width) ORDER BY delivery_id DESC LIMIT 1;
  begins := greatest(begins, misplaced, date_trunc('hour', querybell_now()));
  WHILE begins <= until LOOP
    EXECUTE format('CREATE TABLE partitions.%I PARTITION OF webhook_attempts FOR VALUES FROM (%L) TO (%L)',
      'webhook_attempts_' || to_char(begins AT TIME ZONE 'UTC', 'YYYY_MM_DD_HH24'), lowest_id_at(begins), lowest_id_at(begins + width));
    begins := begins + width;
    created := created + 1;
  END LOOP;
  RETURN created;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END $$;

-- Drops a partition. The attempts of the given deliveries move to the partition for other ids. False if it could not have
-- its locks soon.
CREATE FUNCTION "drop_webhook_attempt_partition"(partition_name text, kept_deliveries uuid[]) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
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

SELECT "create_webhook_attempt_partitions"(3);
ANALYZE ONLY "webhook_attempts";
