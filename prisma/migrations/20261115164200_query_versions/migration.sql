-- AlterTable
ALTER TABLE "queries" ADD COLUMN     "name" TEXT,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "version_at" TIMESTAMPTZ(3),
ADD COLUMN     "version_by" UUID;

-- AlterTable
ALTER TABLE "query_runs" ADD COLUMN     "failure_column" INTEGER,
ADD COLUMN     "failure_line" INTEGER,
ADD COLUMN     "query_version" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "query_versions" (
    "query_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "organization_id" UUID NOT NULL,
    "analytical_database_config_id" UUID NOT NULL,
    "sql" TEXT NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "query_versions_pkey" PRIMARY KEY ("query_id","version")
);

-- AddForeignKey
ALTER TABLE "query_versions" ADD CONSTRAINT "query_versions_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_versions" ADD CONSTRAINT "query_versions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on by hand: what Prisma's language cannot say.

ALTER TABLE "queries" ADD CONSTRAINT "queries_name_length" CHECK (char_length("name") BETWEEN 1 AND 200);

-- What was there before: the statement is as old as the last change, and runs from before it are of version 0.
ALTER TABLE "queries" DISABLE TRIGGER USER;
UPDATE "queries" SET "version_at" = "updated_at";
ALTER TABLE "queries" ENABLE TRIGGER USER;
ALTER TABLE "query_runs" DISABLE TRIGGER USER;
UPDATE "query_runs" SET "query_version" = 0 FROM "queries"
  WHERE "queries"."id" = "query_runs"."query_id" AND "query_runs"."created_at" < "queries"."updated_at";
ALTER TABLE "query_runs" ENABLE TRIGGER USER;

-- Keeps a query's statement before a change, whatever changes it, and counts the versions. The last 100 are kept.
CREATE FUNCTION "keep_query_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO query_versions (query_id, version, organization_id, analytical_database_config_id, sql, created_by, created_at)
  VALUES (OLD.id, OLD.version, OLD.organization_id, OLD.analytical_database_config_id, OLD.sql,
    coalesce(OLD.version_by, OLD.created_by), coalesce(OLD.version_at, OLD.created_at));
  DELETE FROM query_versions WHERE query_id = OLD.id AND version <= OLD.version - 100;
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

-- Before the trigger that keeps listed rows: they fire in the order of their names.
CREATE TRIGGER "queries_count_versions" BEFORE UPDATE ON "queries"
  FOR EACH ROW WHEN (OLD."sql" <> NEW."sql" OR OLD."analytical_database_config_id" <> NEW."analytical_database_config_id")
  EXECUTE FUNCTION "keep_query_version"();

-- A query is found by the words of its name too.
DROP INDEX "queries_search_idx";
CREATE INDEX "queries_search_idx" ON "queries" USING gin (querybell_search_words(coalesce("name", '') || ' ' || "sql")) WHERE "deleted_at" IS NULL;
