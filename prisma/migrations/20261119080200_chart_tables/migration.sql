-- CreateTable
CREATE TABLE "chart_names" (
    "reference_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "chart_names_pkey" PRIMARY KEY ("reference_id")
);

-- CreateTable
CREATE TABLE "query_uses" (
    "query_id" UUID NOT NULL,
    "reference_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,

    CONSTRAINT "query_uses_pkey" PRIMARY KEY ("query_id","reference_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "chart_names_organization_id_name_key" ON "chart_names"("organization_id", "name");

-- CreateIndex
CREATE INDEX "query_uses_reference_id_idx" ON "query_uses"("reference_id");

-- CreateIndex
CREATE INDEX "query_uses_organization_id_idx" ON "query_uses"("organization_id");

-- AddForeignKey
ALTER TABLE "chart_names" ADD CONSTRAINT "chart_names_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chart_names" ADD CONSTRAINT "chart_names_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_uses" ADD CONSTRAINT "query_uses_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_uses" ADD CONSTRAINT "query_uses_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_uses" ADD CONSTRAINT "query_uses_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The name of a chart's table in queries, from its title: lower case, without marks on letters, words joined by _.
CREATE OR REPLACE FUNCTION chart_name_of(title text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN word = '' THEN 'chart' WHEN word ~ '^[0-9]' THEN 'chart_' || word ELSE word END
  FROM (SELECT trim('_' FROM left(trim('_' FROM regexp_replace(
    translate(lower(title), 'áàâäãåéèêëíìîïóòôöõúùûüçñß', 'aaaaaaeeeeiiiiooooouuuucns'),
    '[^a-z0-9]+', '_', 'g')), 50)) AS word) AS words
$$;

-- Gives a chart the name of its table in queries, once it has a title of its own. The name never changes, because queries
-- use it. If another chart has it, a part of the id is added.
CREATE OR REPLACE FUNCTION name_chart() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  base text := chart_name_of(NEW.title);
  digits text := replace(NEW.id::text, '-', '');
  candidate text;
BEGIN
  FOREACH candidate IN ARRAY ARRAY[base, base || '_' || right(digits, 6), base || '_' || digits] LOOP
    INSERT INTO chart_names (organization_id, reference_id, name) VALUES (NEW.organization_id, NEW.id, candidate)
    ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND OR EXISTS (SELECT FROM chart_names WHERE reference_id = NEW.id);
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER name_chart AFTER INSERT OR UPDATE OF title ON query_references
  FOR EACH ROW
  WHEN (NEW.title <> 'Untitled query')
  EXECUTE FUNCTION name_chart();

-- Charts that have a title get their name. The oldest of those with the same title has it without an addition.
INSERT INTO chart_names (organization_id, reference_id, name)
SELECT organization_id, id, CASE WHEN place = 1 THEN base ELSE base || '_' || replace(id::text, '-', '') END
FROM (
  SELECT organization_id, id, base, row_number() OVER (PARTITION BY organization_id, base ORDER BY created_at, id) AS place
  FROM query_references, chart_name_of(title) AS base
  WHERE title <> 'Untitled query'
) AS named
ON CONFLICT DO NOTHING;
