-- CreateEnum
CREATE TYPE "export_state" AS ENUM ('pending', 'running', 'ready', 'failed', 'ended');

-- CreateTable
CREATE TABLE "organization_exports" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "state" "export_state" NOT NULL DEFAULT 'pending',
    "items_done" INTEGER NOT NULL DEFAULT 0,
    "items_total" INTEGER NOT NULL DEFAULT 0,
    "bytes" BIGINT,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "organization_exports_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "organization_exports_organization_id_idx" ON "organization_exports"("organization_id");

-- CreateIndex
CREATE INDEX "organization_exports_created_by_idx" ON "organization_exports"("created_by");

-- CreateIndex
CREATE INDEX "organization_exports_expires_at_idx" ON "organization_exports"("expires_at");

-- AddForeignKey
ALTER TABLE "organization_exports" ADD CONSTRAINT "organization_exports_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "organization_exports" ADD CONSTRAINT "organization_exports_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- An organization has one export at most.
CREATE UNIQUE INDEX "organization_exports_current_key" ON "organization_exports" ("organization_id") WHERE "state" <> 'ended';
