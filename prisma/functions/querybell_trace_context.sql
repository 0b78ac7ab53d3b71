-- The trace in which a row was inserted, as a W3C traceparent: the process that works on the row continues the trace. The
-- default reads a setting of the transaction, so that no function that inserts such rows has to know of traces. Without
-- tracing it is NULL.
CREATE OR REPLACE FUNCTION querybell_trace_context() RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT nullif(current_setting('querybell.trace_context', true), '') $$;
