-- AlterTable
ALTER TABLE "query_drafts" ADD COLUMN     "parameters" JSONB;
