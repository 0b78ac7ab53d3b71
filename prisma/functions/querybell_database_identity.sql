-- Which history the numbers of a snapshot belong to: the cluster, and its timeline, which a failover or a
-- recovery to a point in time changes. A cursor of another one means nothing here.
CREATE OR REPLACE FUNCTION querybell_database_identity() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT system_identifier || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8) FROM pg_control_system()
$$;
