-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "keys_run_sql" BOOLEAN NOT NULL DEFAULT false;
