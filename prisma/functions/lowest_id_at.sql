-- The lowest id of a time: the lower bound of ids created since then.
CREATE OR REPLACE FUNCTION lowest_id_at(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;
