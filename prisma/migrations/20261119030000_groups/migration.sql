-- AlterEnum
ALTER TYPE "role" ADD VALUE 'viewer';

-- CreateEnum
CREATE TYPE "group_source" AS ENUM ('manual', 'oidc', 'scim');

-- CreateTable
CREATE TABLE "groups" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "source" "group_source" NOT NULL DEFAULT 'manual',
    "external_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "groups_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "groups_name_length" CHECK (char_length(name) BETWEEN 1 AND 100),
    CONSTRAINT "groups_external_id_of_provider" CHECK ((source = 'manual') = (external_id IS NULL))
);

-- CreateTable
CREATE TABLE "group_members" (
    "group_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "group_members_pkey" PRIMARY KEY ("group_id","user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "groups_organization_id_id_key" ON "groups"("organization_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "groups_organization_id_source_external_id_key" ON "groups"("organization_id", "source", "external_id");

-- CreateIndex
CREATE INDEX "group_members_organization_id_user_id_idx" ON "group_members"("organization_id", "user_id");

-- AddForeignKey
ALTER TABLE "groups" ADD CONSTRAINT "groups_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_organization_id_group_id_fkey" FOREIGN KEY ("organization_id", "group_id") REFERENCES "groups"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE UNIQUE INDEX groups_name_key ON groups (organization_id, lower(name));
