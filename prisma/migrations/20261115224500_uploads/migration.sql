-- CreateEnum
CREATE TYPE "upload_format" AS ENUM ('csv', 'json_lines', 'parquet');

-- CreateEnum
CREATE TYPE "uploaded_by" AS ENUM ('members', 'admins');

-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "uploads_by" "uploaded_by" NOT NULL DEFAULT 'members';

-- AlterTable
ALTER TABLE "analytical_database_configs" ADD COLUMN     "holds_uploads" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "upload_file_id" UUID;

-- CreateTable
CREATE TABLE "upload_stores" (
    "organization_id" UUID NOT NULL,
    "database_id" UUID NOT NULL,
    "change_until" TIMESTAMPTZ(3),
    "change_number" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "upload_stores_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "upload_store_files" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "change_number" INTEGER NOT NULL,
    "used_bytes" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "replaced_at" TIMESTAMPTZ(3),

    CONSTRAINT "upload_store_files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "uploaded_tables" (
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "columns" JSONB NOT NULL,
    "row_count" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "file_name" TEXT NOT NULL,
    "updated_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "uploaded_tables_pkey" PRIMARY KEY ("organization_id","name")
);

-- CreateTable
CREATE TABLE "uploads" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "created_by" UUID NOT NULL,
    "file_name" TEXT NOT NULL,
    "format" "upload_format" NOT NULL,
    "bytes" BIGINT NOT NULL,
    "is_complete" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "uploads_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "upload_stores_organization_id_database_id_key" ON "upload_stores"("organization_id", "database_id");

-- CreateIndex
CREATE INDEX "upload_store_files_organization_id_idx" ON "upload_store_files"("organization_id");

-- CreateIndex
CREATE INDEX "uploads_organization_id_created_at_idx" ON "uploads"("organization_id", "created_at");

-- CreateIndex
CREATE INDEX "uploads_expires_at_idx" ON "uploads"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "analytical_database_configs_upload_file_id_key" ON "analytical_database_configs"("upload_file_id");

-- AddForeignKey
ALTER TABLE "analytical_database_configs" ADD CONSTRAINT "analytical_database_configs_upload_file_id_fkey" FOREIGN KEY ("upload_file_id") REFERENCES "upload_store_files"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_stores" ADD CONSTRAINT "upload_stores_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_stores" ADD CONSTRAINT "upload_stores_organization_id_database_id_fkey" FOREIGN KEY ("organization_id", "database_id") REFERENCES "analytical_database_configs"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_store_files" ADD CONSTRAINT "upload_store_files_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploaded_tables" ADD CONSTRAINT "uploaded_tables_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploaded_tables" ADD CONSTRAINT "uploaded_tables_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on by hand: what Prisma's language cannot say.

CREATE UNIQUE INDEX "analytical_database_configs_uploads_key" ON "analytical_database_configs"("organization_id") WHERE "holds_uploads";
ALTER TABLE "analytical_database_configs" ADD CONSTRAINT "analytical_database_configs_upload_file" CHECK ("holds_uploads" OR "upload_file_id" IS NULL);
-- It cannot be deleted without its organization.
ALTER TABLE "analytical_database_configs" ADD CONSTRAINT "analytical_database_configs_uploads_stay" CHECK (NOT "holds_uploads" OR "deleted_at" IS NULL);
CREATE UNIQUE INDEX "uploaded_tables_lower_name_key" ON "uploaded_tables"("organization_id", lower("name"));

-- Every organization has a database for its uploads, however it was created.
CREATE FUNCTION "create_upload_store"(organization organizations) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  new_id uuid := uuidv7();
BEGIN
  INSERT INTO analytical_database_configs (id, organization_id, name, engine, settings, limits, holds_uploads, created_at, updated_at)
  VALUES (new_id, organization.id, 'Uploads', 'duckdb', '{}', '{}', true, organization.created_at, organization.created_at);
  INSERT INTO upload_stores (organization_id, database_id) VALUES (organization.id, new_id);
END $$;

CREATE FUNCTION "create_upload_store_of_new"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM create_upload_store(NEW);
  RETURN NULL;
END $$;

CREATE TRIGGER "organizations_create_upload_store" AFTER INSERT ON "organizations"
  FOR EACH ROW EXECUTE FUNCTION "create_upload_store_of_new"();

SELECT create_upload_store(organizations) FROM organizations;
