-- Old rows are found by their ids, which begin with the time: these indexes have no other use. BRIN indexes would also
-- become useless after one period, because new rows fill the space of deleted ones.
DROP INDEX "query_runs_created_at_idx";
DROP INDEX "automation_runs_created_at_idx";
DROP INDEX "notifications_created_at_idx";
DROP INDEX "audit_entries_at_idx";
DROP INDEX "webhook_events_created_at_idx";

-- The recoveries of an endpoint: pages show them, and the partial index of the running ones does not serve a prepared
-- statement with the state as a parameter.
CREATE INDEX "webhook_recoveries_endpoint_id_idx" ON "webhook_recoveries"("endpoint_id");

-- What housekeeping looks for.
CREATE INDEX "webhook_secrets_rotated" ON "webhook_secrets" ("expires_at") WHERE "expires_at" IS NOT NULL;
CREATE INDEX "webhook_endpoints_deleted" ON "webhook_endpoints" ("updated_at") WHERE "state" = 'deleted';
CREATE INDEX "upload_stores_changing" ON "upload_stores" ("change_until") WHERE "change_until" IS NOT NULL;
