ALTER TABLE "automation_condition_bases" ADD COLUMN     "rights_hash" BYTEA;
ALTER TABLE "automation_results" ADD COLUMN     "rights_hash" BYTEA;
