-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "expired_result_days" INTEGER NOT NULL DEFAULT 0;

-- Existing organizations keep no expired results, as before.
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_expired_results" CHECK ("expired_result_days" BETWEEN 0 AND 30);

-- CreateTable
CREATE TABLE "query_parameters" (
    "query_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "definitions" JSONB NOT NULL,
    "choices" JSONB NOT NULL DEFAULT '{}',
    "ranges" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "query_parameters_pkey" PRIMARY KEY ("query_id")
);

-- AddForeignKey
ALTER TABLE "query_parameters" ADD CONSTRAINT "query_parameters_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_parameters" ADD CONSTRAINT "query_parameters_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Each query gets the definitions that its runs have used: of each name the oldest one. What references publish stays.
-- Names that are not in the statement stay with their references, where they are still found.
WITH defining AS (
  SELECT r.query_id, r.organization_id, q.sql, r.parameters,
    row_number() OVER (PARTITION BY r.query_id ORDER BY r.created_at, r.id) AS place
  FROM query_references r JOIN queries q ON q.id = r.query_id
  WHERE r.deleted_at IS NULL AND q.automation_run_id IS NULL AND jsonb_array_length(r.parameters) > 0
), oldest AS (
  SELECT DISTINCT ON (query_id, definition ->> 'name') query_id, organization_id, definition, place, position
  FROM defining, jsonb_array_elements(parameters) WITH ORDINALITY AS defined(definition, position)
  WHERE place <= 100 AND strpos(sql, definition ->> 'name') > 0
  ORDER BY query_id, definition ->> 'name', place
), numbered AS (
  SELECT *, row_number() OVER (PARTITION BY query_id ORDER BY place, position) AS number FROM oldest
)
INSERT INTO query_parameters (query_id, organization_id, version, definitions)
SELECT query_id, organization_id, 1, jsonb_agg(definition ORDER BY number)
FROM numbered WHERE number <= 100 GROUP BY query_id, organization_id;
