-- AlterTable
ALTER TABLE "automation_condition_bases" ADD COLUMN     "rights_hash" BYTEA;
