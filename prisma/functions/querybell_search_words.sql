-- The words by which a text is found. In plpgsql, which is not expanded in place, so that its cost counts: reading the words
-- of every text again takes far longer than the index, also where most texts match.
CREATE OR REPLACE FUNCTION querybell_search_words(text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
  RETURN pg_catalog.to_tsvector('pg_catalog.simple',
    pg_catalog.regexp_replace(pg_catalog.left($1, 100000), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g'));
END $$;
