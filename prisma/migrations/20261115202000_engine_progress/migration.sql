-- What the engine itself says of a run that goes on.
ALTER TABLE "query_runs" ADD COLUMN "engine_progress" JSONB;
