-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "help_sees_rows" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "sql_help_requests" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "request" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sql_help_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "table_descriptions" (
    "database_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "schema_name" TEXT NOT NULL,
    "table_name" TEXT NOT NULL,
    "column_name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "updated_by" UUID,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "table_descriptions_pkey" PRIMARY KEY ("database_id","schema_name","table_name","column_name"),
    CONSTRAINT "table_descriptions_description" CHECK (char_length("description") BETWEEN 1 AND 500)
);

-- CreateIndex
CREATE INDEX "sql_help_requests_organization_id_idx" ON "sql_help_requests"("organization_id");

-- CreateIndex
CREATE INDEX "sql_help_requests_user_id_idx" ON "sql_help_requests"("user_id");

-- CreateIndex
CREATE INDEX "sql_help_requests_created_at_idx" ON "sql_help_requests"("created_at");

-- CreateIndex
CREATE INDEX "table_descriptions_organization_id_database_id_idx" ON "table_descriptions"("organization_id", "database_id");

-- CreateIndex
CREATE INDEX "table_descriptions_updated_by_idx" ON "table_descriptions"("updated_by");

-- AddForeignKey
ALTER TABLE "sql_help_requests" ADD CONSTRAINT "sql_help_requests_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sql_help_requests" ADD CONSTRAINT "sql_help_requests_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "table_descriptions" ADD CONSTRAINT "table_descriptions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "table_descriptions" ADD CONSTRAINT "table_descriptions_organization_id_database_id_fkey" FOREIGN KEY ("organization_id", "database_id") REFERENCES "analytical_database_configs"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "table_descriptions" ADD CONSTRAINT "table_descriptions_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
