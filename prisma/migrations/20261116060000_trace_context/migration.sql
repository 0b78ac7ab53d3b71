-- The trace in which a row was inserted, as a W3C traceparent: the process that works on the row continues the trace. The
-- default reads a setting of the transaction, so that no function that inserts such rows has to know of traces. Without
-- tracing it is NULL.
ALTER TABLE "query_runs" ADD COLUMN "trace_context" TEXT DEFAULT nullif(current_setting('querybell.trace_context', true), '');
ALTER TABLE "automation_runs" ADD COLUMN "trace_context" TEXT DEFAULT nullif(current_setting('querybell.trace_context', true), '');
ALTER TABLE "webhook_events" ADD COLUMN "trace_context" TEXT DEFAULT nullif(current_setting('querybell.trace_context', true), '');

-- Whether attempts carry the header traceparent. The published headers are exact, so it is off unless an admin chooses it.
ALTER TABLE "webhook_endpoints" ADD COLUMN "sends_traceparent" BOOLEAN NOT NULL DEFAULT false;
