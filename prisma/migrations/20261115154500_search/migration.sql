-- The words of a text, for search. ASCII punctuation separates words, so that `orders.total` and `order_items` are
-- found by each of their parts; Postgres alone would read the first as a host name. A very long text is searched by
-- its beginning: a tsvector has a size limit, and no write may fail because of it.
CREATE FUNCTION "querybell_search_words"(text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT pg_catalog.to_tsvector('pg_catalog.simple',
    pg_catalog.regexp_replace(pg_catalog.left($1, 100000), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g'))
$$;

-- Indexes over expressions, not columns: the rows of queries and references are kept as versions, whole.
CREATE INDEX "queries_search_idx" ON "queries" USING gin (querybell_search_words("sql")) WHERE "deleted_at" IS NULL;
CREATE INDEX "query_references_search_idx" ON "query_references" USING gin (querybell_search_words("title" || ' ' || coalesce("description", ''))) WHERE "deleted_at" IS NULL;
CREATE INDEX "automations_search_idx" ON "automations" USING gin (querybell_search_words("name" || ' ' || "instruction")) WHERE "deleted_at" IS NULL;
