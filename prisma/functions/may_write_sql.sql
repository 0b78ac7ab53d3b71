-- Whether the caller of this connection may write SQL on a database, and look at its tables.
CREATE OR REPLACE FUNCTION may_write_sql(chosen_database uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(current_setting('querybell.caller', true), '') = '' OR coalesce(
    chosen_database = ANY (nullif(current_setting('querybell.writable_databases', true), '')::uuid[]), false)
$$;
